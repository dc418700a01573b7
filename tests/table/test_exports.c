/* More tables as people have them: exports of programs, words for missing values, labels with two
 * readings, dates, sums, JSON of every orientation. Each is read right, or refused with the reason
 * and the way out. */
#include "table/shape.h"

#include <stdlib.h>

static const shape programs[] = {
    {"Excel's line in another case", "Sep=;\nid;action\n1;A\n2;B\n3;A\n", 0, "A:2 B:1 | 3 0", NULL,
     PLAIN},
    {"Excel's line behind a mark", "\xef\xbb\xbfsep=;\r\nid;action\r\n1;A\r\n2;B\r\n3;A\r\n", 0,
     "A:2 B:1 | 3 0", NULL, PLAIN},
    {"Excel's Unicode text",
     BYTES("\xff\xfei\x00"
           "d\x00\t\x00"
           "a\x00"
           "c\x00t\x00i\x00o\x00n\x00\r\x00\n\x00"
           "1\x00\t\x00"
           "A\x00\r\x00\n\x00"
           "2\x00\t\x00"
           "B\x00\r\x00\n\x00"
           "3\x00\t\x00"
           "A\x00\r\x00\n\x00"),
     "A:2 B:1 | 3 0", NULL, PLAIN},
    {"Excel's line with the wrong sign", "sep=,\nid;action\n1;A\n2;B\n3;A\n", 0, NULL,
     "name their delimiter", PLAIN},
    {"many empty columns", "id,action,,,\n1,A,,,\n2,B,,,\n3,A,,,\n", 0, "A:2 B:1 | 3 0", NULL,
     PLAIN},
    {"a title", "Quarterly report\nid,action\n1,A\n2,B\n3,A\n", 0, NULL,
     "if that is a title, leave it out", PLAIN},
    {"a title and a blank line", "Quarterly report\n\nid,action\n1,A\n2,B\n3,A\n", 0, NULL,
     "if that is a title, leave it out", PLAIN},
    {"a title as wide as the table", "Quarterly report,,\n,,\nid,action,x\n1,A,2\n2,B,1\n3,A,2\n",
     0, NULL, "if the first line is a title", PLAIN},
    {"a title that is called action", "action,,\n,,\nid,action,x\n1,A,2\n2,B,1\n3,A,2\n", 0, NULL,
     "if it is a title, leave it out", PLAIN},
    {"two lines of names", ",choice,choice\n,action,dose\n0,A,1\n1,B,2\n2,A,1\n", 0, NULL,
     "no column is called 'action'", PLAIN},
    {"two lines of names, the upper called action", "action,dose\nname,mg\nA,1\nB,2\nA,1\n", 0,
     NULL, "second header", PLAIN},
    {"a note below", "id,action\n1,A\n2,B\n3,A\n* preliminary figures\n", 0, NULL,
     "leave out notes", PLAIN},
    {"a note below, as wide as the table", "id,action\n1,A\n2,B\n3,A\n* preliminary figures,\n", 0,
     "A:2 B:1 | 4 1", NULL, PLAIN},
    {"a note below a list", "action\nA\nB\nA\n* preliminary figures\n", 0, NULL, "may be no label",
     PLAIN},
    {"a note in a list", "action\nA\n# pause\nB\nA\n", 0, NULL, "may be no label", PLAIN},
    {"psql", " id | action \n----+--------\n  1 | A\n  2 | B\n  3 | A\n(3 rows)\n\n", 0, NULL,
     "table:2: expected 2 fields", PLAIN},
    {"psql, one column", " action \n--------\n A\n B\n A\n(3 rows)\n", 0, NULL,
     "'--------' may be no label", PLAIN},
    {"psql -A, one column", "action\nA\nB\nA\n(3 rows)\n", 0, NULL, "'(3 rows)' may be no label",
     PLAIN},
    {"mysql",
     "+----+--------+\n| id | action |\n+----+--------+\n|  1 | A      |\n+----+--------+\n", 0,
     NULL, "may be no label", PLAIN},
    {"mysql, behind a list", "action\nA\nB\nA\n3 rows in set (0.00 sec)\n", 0, NULL,
     "may be no label", PLAIN},
    {"sqlite in a box",
     "\xe2\x94\x8c\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94"
     "\x80\xe2\x94\x80\xe2\x94\x90\n\xe2\x94\x82 action "
     "\xe2\x94\x82\n\xe2\x94\x9c\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2"
     "\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\xa4\n\xe2\x94\x82 A      \xe2\x94\x82\n\xe2\x94\x82 "
     "B      \xe2\x94\x82\n\xe2\x94\x82 A      "
     "\xe2\x94\x82\n\xe2\x94\x94\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2"
     "\x94\x80\xe2\x94\x80\xe2\x94\x80\xe2\x94\x98\n",
     0, NULL, "may be no label", PLAIN},
    {"Markdown with aligned columns", "| id | action |\n|---:|:------|\n| 1 | A |\n| 2 | B |\n", 0,
     NULL, "':------' may be no label", PLAIN},
    {"bars at both ends", "|action|\n|A|\n|B|\n|A|\n", 0, "A:2 B:1 | 3 0", NULL, PLAIN},
    {"statements of SQL",
     "INSERT INTO t VALUES (1,'A');\nINSERT INTO t VALUES (2,'B');\nINSERT INTO t VALUES "
     "(3,'A');\n",
     0, NULL, "name the delimiter", PLAIN},
    {"a dump of Postgres", "COPY t (id, action) FROM stdin;\n1\tA\n2\tB\n3\tA\n\\.\n", 0, NULL,
     "different numbers of fields", PLAIN},
    {"write.csv of R", "\"\",\"action\",\"x\"\n\"1\",\"A\",5\n\"2\",\"B\",6\n\"3\",\"A\",5\n", 0,
     "A:2 B:1 | 3 0", NULL, PLAIN},
    {"write.table of R", "\"id\" \"action\"\n\"1\" 1 \"A\"\n\"2\" 2 \"B\"\n\"3\" 3 \"A\"\n", 0,
     NULL, "--delimiter", PLAIN},
    {"print of R", "  id action\n1  1      A\n2  2      B\n3  3      A\n", 0, NULL,
     "name their delimiter", PLAIN},
    {"print of pandas", "0    A\n1    B\n2    A\nName: action, dtype: object\n", 0, NULL,
     "holds a comma", PLAIN},
    {"savetxt of NumPy",
     "0.000000000000000000e+00\n1.000000000000000000e+00\n2.000000000000000000e+00\n1."
     "000000000000000000e+00\n",
     0, "#0:1 #1:2 #2:1 | 4 0", NULL, PLAIN},
    {"savetxt of NumPy, two columns",
     "0.000000000000000000e+00 1.000000000000000000e+00\n2.000000000000000000e+00 "
     "1.000000000000000000e+00\n",
     0, NULL, "name their delimiter", PLAIN},
    {"savetxt of NumPy, with a header", "# action\n0\n1\n2\n1\n", 0, "#0:1 #1:2 #2:1 | 4 0", NULL,
     PLAIN},
    {"print of NumPy", "[0 1 2 1 0]\n", 0, NULL, "no comma between", PLAIN},
    {"a list of Python", "['A', 'B', 'A']\n", 0, NULL, "JSON has double quotes", PLAIN},
    {"meta lines", "##made=2024\nid,action\n1,A\n2,B\n3,A\n", 0, NULL, "may be no label", PLAIN},
    {"ARFF", "@relation x\n@attribute id numeric\n@attribute action {A,B}\n@data\n1,A\n2,B\n", 0,
     NULL, "holds a comma", PLAIN},
    {"front matter", "---\ntitle: x\n---\nid,action\n1,A\n2,B\n3,A\n", 0, NULL, "may be no label",
     PLAIN},
    {"an INI file", "[section]\naction=A\n", 0, NULL, "is not JSON", PLAIN},
    {"LaTeX", "id & action \\\\\n1 & A \\\\\n2 & B \\\\\n", 0, NULL, "name their delimiter", PLAIN},
    {"libsvm", "1 1:0.5 2:0.3\n2 1:0.1\n1 2:0.3\n", 0, NULL, "name their delimiter", PLAIN},
    {"two colons", "1::A::5\n2::B::4\n3::A::3\n", 0, NULL, "name their delimiter", PLAIN},
    {"control characters for delimiters",
     "1\x01"
     "A\n2\x01"
     "B\n3\x01"
     "A\n",
     0, NULL, "name their delimiter", PLAIN},
    {"lines in quotes", "\"id;action\"\n\"1;A\"\n\"2;B\"\n\"3;A\"\n", 0, NULL,
     "name their delimiter", PLAIN},
    {"single quotes are characters", "id,action\n1,'A'\n2,'B'\n3,'A'\n", 0, "'A':2 'B':1 | 3 0",
     NULL, PLAIN},
    {"backslashes before quotes", "id,action\n1,\"A \\\"x\\\"\"\n2,\"B\"\n", 0, NULL,
     "double a quote", PLAIN},
    {"LF and CR the wrong way round", "id,action\n\r1,A\n\r2,B\n\r", 0, NULL, "carriage return",
     PLAIN},
    {"LF and CRLF", "id,action\r\n1,A\n2,B\r\n3,A\n", 0, "A:2 B:1 | 3 0", NULL, PLAIN},
    {"EBCDIC", "\x89\x84k\x81\x83\xa3\x89\x96\x95%\xf1k\xc1%\xf2k\xc2%", 0, NULL, "is not UTF-8",
     PLAIN},
    {"Shift-JIS", "id,action\n1,\x96\xf2\n2,\x90\x85\n3,\x96\xf2\n", 0, NULL, "is not UTF-8",
     PLAIN},
    {"two marks", "\xef\xbb\xbf\xef\xbb\xbfid,action\n1,A\n2,B\n3,A\n", 0, "A:2 B:1 | 3 0", NULL,
     PLAIN},
    {"joined files, each with its mark",
     "\xef\xbb\xbfid,action\n1,A\n2,B\n\xef\xbb\xbfid,action\n3,A\n", 0, NULL, "repeats the header",
     PLAIN},
    {"joined files in another order", "id,action\n1,A\n2,B\n3,A\naction,id\nA,4\n", 0, NULL,
     "names of columns in another order", PLAIN},
    {"a column that says action", "type,action\naction,buy\naction,sell\naction,buy\n", 0,
     "buy:2 sell:1 | 3 0", NULL, PLAIN},
    {"indices without names", ",,action\nx,1,A\nx,2,B\ny,1,A\n", 0, "A:2 B:1 | 3 0", NULL, PLAIN},
    {"row names of R beside numbers",
     ",mpg,cyl\nMazda RX4,21,6\nDatsun 710,22.8,4\nHornet,21.4,6\n", 0, "4:1 6:2 | 3 0", NULL,
     WITH(.action = "cyl")},
    {"row names of R beside one column", ",cyl\nMazda RX4,6\nDatsun 710,4\nHornet,6\n", 0,
     "4:1 6:2 | 3 0", NULL, WITH(.action = "cyl", .count = "none")},
    {"a name over two lines", "\"id\n(number)\",\"action\"\n1,A\n2,B\n3,A\n", 0, "A:2 B:1 | 3 0",
     NULL, PLAIN},
    {"names with a sign before them", "#id\taction\n1\tA\n2\tB\n3\tA\n", 0, "A:2 B:1 | 3 0", NULL,
     PLAIN},
};

CLAIM(what_programs_print_around_a_table_is_no_label) {
    EXPECT_SHAPES(programs);
}

static const shape words[] = {
    {"an em dash", "id,action\n1,A\n2,\xe2\x80\x94\n3,A\n4,B\n", 0, NULL, "with --missing", PLAIN},
    {"n.a.", "id,action\n1,A\n2,n.a.\n3,A\n4,B\n", 0, NULL, "with --missing", PLAIN},
    {"keine Angabe", "id;action\n1;A\n2;k.A.\n3;A\n4;B\n", 0, NULL, "with --missing", PLAIN},
    {"(blank)", "id,action\n1,A\n2,(blank)\n3,A\n4,B\n", 0, NULL, "with --missing", PLAIN},
    {"unknown", "id,action\n1,A\n2,unknown\n3,A\n4,B\n", 0, NULL, "with --missing", PLAIN},
    {"unknown, told", "id,action\n1,A\n2,unknown\n3,A\n4,B\n", 0, "A:2 B:1 | 4 1", NULL,
     WITH(.missing = "unknown")},
    {"an arm that is called unknown", "id,action\n1,A\n2,unknown\n3,A\n", 0, "A:2 unknown:1 | 3 0",
     NULL, WITH(.missing = "")},
    {"a segment that is called unknown", "age,action\nold,A\nunknown,A\nold,B\n", 0,
     "A:2 B:1 | 3 0", NULL, WITH(.segment = "age")},
    {"undefined", "id,action\n1,A\n2,undefined\n3,A\n4,B\n", 0, NULL, "with --missing", PLAIN},
    {"North America", "id,action\n1,NA\n2,EU\n3,NA\n4,\n", 0, "NA:2 EU:1 | 4 1", NULL,
     WITH(.missing = "")},
    {"several words, told", "id,action\n1,A\n2,-\n3,?\n4,B\n5,A\n", 0, "A:2 B:1 | 5 2", NULL,
     WITH(.missing = "-,?")},
    {"question marks that are arms", "id,action\n1,!\n2,?\n3,!\n", 0, "!:2 ?:1 | 3 0", NULL,
     WITH(.missing = "")},
    {"blanks around words", "id,action\n1,A\n2, nan \n3,B\n4,A\n", 0, "A:2 B:1 | 4 1", NULL, PLAIN},
    {"quoted and empty", "id,action\n1,A\n2,\"\"\n3,B\n4,A\n", 0, "A:2 B:1 | 4 1", NULL, PLAIN},
    {"-999", "id,action\n1,1\n2,2\n3,-999\n4,1\n", 0, NULL, "--missing -999", PLAIN},
    {"-999, told", "id,action\n1,1\n2,2\n3,-999\n4,1\n", 0, "1:2 2:1 | 4 1", NULL,
     WITH(.missing = "-999")},
    {"-999 is an arm", "id,action\n1,1\n2,2\n3,-999\n4,1\n", 0, "-999:1 1:2 2:1 | 4 0", NULL,
     WITH(.missing = "")},
    {"999", "id,action\n1,1\n2,2\n3,999\n4,1\n", 0, NULL, "--missing 999", PLAIN},
    {"large numbers that are labels", "id,action\n1,500\n2,999\n3,500\n", 0, "500:2 999:1 | 3 0",
     NULL, PLAIN},
    {"codes of pandas", "id,action\n1,0\n2,1\n3,-1\n4,2\n5,0\n", 0, NULL, "--missing -1", PLAIN},
};

CLAIM(words_for_missing_values_are_asked_about_unless_they_are_told) {
    EXPECT_SHAPES(words);
}

static const shape odd[] = {
    {"lost characters", "id,action\n1,Caf\xef\xbf\xbd\n2,Th\n3,Caf\xef\xbf\xbd\n", 0, NULL,
     "lost character", PLAIN},
    {"number signs where a column was narrow", "id,action\n1,#####\n2,A\n3,A\n", 0, NULL,
     "may be no label", PLAIN},
    {"long numbers that were shortened", "id,action\n1,1.23457E+12\n2,1.23457E+12\n3,2\n", 0, NULL,
     "may be no label", PLAIN},
    {"formulas", "id,action\n1,=A1\n2,=A2\n3,=A1\n", 0, NULL, "may be no label", PLAIN},
    {"marks that cannot be seen",
     "id,action\n1,\xe2\x80\x8f"
     "A\n2,A\n3,B\n4,B\n",
     0, NULL, "differ only in", PLAIN},
    {"soft hyphens", "id,action\n1,dr\xc2\xadug\n2,drug\n3,B\n4,B\n", 0, NULL, "differ only in",
     PLAIN},
    {"zero-width spaces", "id,action\n1,dr\xe2\x80\x8bug\n2,drug\n3,B\n4,B\n", 0, NULL,
     "differ only in", PLAIN},
    {"wide letters", "id,action\n1,\xef\xbc\xa1\n2,A\n3,B\n4,B\n", 0, NULL, "differ only in",
     PLAIN},
    {"a Cyrillic A", "id,action\n1,\xd0\x90\n2,A\n3,B\n4,B\n", 0, NULL, "differ only in", PLAIN},
    {"a full stop", "id,action\n1,drug A\n2,drug A.\n3,B\n4,B\n", 0, NULL, "differ only in", PLAIN},
    {"hyphens", "id,action\n1,drug-A\n2,drug A\n3,B\n4,B\n", 0, NULL, "differ only in", PLAIN},
    {"underscores", "id,action\n1,drug_A\n2,drug A\n3,B\n4,B\n", 0, NULL, "differ only in", PLAIN},
    {"dashes",
     "id,action\n1,18-30\n2,18\xe2\x80\x93"
     "30\n3,B\n4,B\n",
     0, NULL, "differ only in", PLAIN},
    {"decimal commas and points", "id;action\n1;0,5\n2;0.5\n3;1\n4;1\n", 0, NULL, "differ only in",
     PLAIN},
    {"exponents", "id,action\n1,1e3\n2,1000\n3,5\n4,5\n", 0, NULL, "differ only in", PLAIN},
    {"truth in two cases", "id,action\n1,True\n2,TRUE\n3,False\n4,False\n", 0, NULL,
     "differ only in", PLAIN},
    {"minus nothing", "id,action\n1,-0\n2,0\n3,0.5\n4,0.5\n", 0, NULL, "differ only in", PLAIN},
    {"minus nothing among whole numbers", "id,action\n1,-0\n2,0\n3,1\n4,1\n", 0, "#0:2 #1:2 | 4 0",
     NULL, PLAIN},
    {"grades", "id,action\n1,A+\n2,A-\n3,A\n4,A+\n", 0, "A+:2 A-:1 A:1 | 4 0", NULL, PLAIN},
    {"pluses and minuses", "id,action\n1,+5\n2,-5\n3,+5\n", 0, "-5:1 +5:2 | 3 0", NULL, PLAIN},
    {"codes with an E", "id,action\n1,1E5\n2,2E5\n3,1E5\n", 0, "1E5:2 2E5:1 | 3 0", NULL, PLAIN},
    {"codes with zeros and without", "id,action\n1,0012\n2,1234\n3,0012\n4,1234\n", 0,
     "0012:2 1234:2 | 4 0", NULL, PLAIN},
    {"points between thousands are kept", "id;action\n1;1.000\n2;2.000\n3;1.000\n", 0,
     "1.000:2 2.000:1 | 3 0", NULL, PLAIN},
    {"percentages", "id,action\n1,10%\n2,20%\n3,10%\n", 0, "10%:2 20%:1 | 3 0", NULL, PLAIN},
    {"pictures", "id,action\n1,\xf0\x9f\x91\x8d\n2,\xf0\x9f\x91\x8e\n3,\xf0\x9f\x91\x8d\n", 0,
     "\xf0\x9f\x91\x8d:2 \xf0\x9f\x91\x8e:1 | 3 0", NULL, PLAIN},
    {"addresses", "id,action\n1,10.0.0.1\n2,10.0.0.2\n3,10.0.0.1\n", 0,
     "10.0.0.1:2 10.0.0.2:1 | 3 0", NULL, PLAIN},
    {"ranges", "id,action\n1,1-5\n2,6-10\n3,1-5\n", 0, "1-5:2 6-10:1 | 3 0", NULL, PLAIN},
    {"diagnoses", "id,action\n1,E10\n2,E11\n3,E10\n", 0, "E10:2 E11:1 | 3 0", NULL, PLAIN},
    {"several choices in a cell", "id,action\n1,A;B\n2,A\n3,B\n4,A\n", 0, NULL,
     "several choices in one cell", PLAIN},
    {"several choices with commas", "id,action\n1,\"A, B\"\n2,A\n3,B\n4,A\n", 0, NULL,
     "several choices in one cell", PLAIN},
    {"one arm that reads like several", "id,action\n1,A+B\n2,A\n3,B\n4,A\n", 0,
     "A+B:1 A:2 B:1 | 4 0", NULL, WITH(.exact = true)},
    {"a mark without labels", "id,action\n1,A/C\n2,A\n3,A/C\n", 0, "A/C:2 A:1 | 3 0", NULL, PLAIN},
};

CLAIM(labels_that_have_two_readings_are_refused) {
    EXPECT_SHAPES(odd);
}

static const shape days[] = {
    {"20240105", "id,action\n1,\"20240105\"\n2,\"20240105\"\n3,\"20240105\"\n", 0, NULL,
     "dates or times", PLAIN},
    {"05.01.24", "id,action\n1,\"05.01.24\"\n2,\"05.01.24\"\n3,\"05.01.24\"\n", 0, NULL,
     "dates or times", PLAIN},
    {"5 January 2024",
     "id,action\n1,\"5 January 2024\"\n2,\"5 January 2024\"\n3,\"5 January 2024\"\n", 0, NULL,
     "dates or times", PLAIN},
    {"2024-W05", "id,action\n1,\"2024-W05\"\n2,\"2024-W05\"\n3,\"2024-W05\"\n", 0, NULL,
     "dates or times", PLAIN},
    {"2024-01", "id,action\n1,\"2024-01\"\n2,\"2024-01\"\n3,\"2024-01\"\n", 0, NULL,
     "dates or times", PLAIN},
    {"01/2024", "id,action\n1,\"01/2024\"\n2,\"01/2024\"\n3,\"01/2024\"\n", 0, NULL,
     "dates or times", PLAIN},
    {"10:30", "id,action\n1,\"10:30\"\n2,\"10:30\"\n3,\"10:30\"\n", 0, NULL, "dates or times",
     PLAIN},
    {"10:30:15", "id,action\n1,\"10:30:15\"\n2,\"10:30:15\"\n3,\"10:30:15\"\n", 0, NULL,
     "dates or times", PLAIN},
    {"9:30 pm", "id,action\n1,\"9:30 pm\"\n2,\"9:30 pm\"\n3,\"9:30 pm\"\n", 0, NULL,
     "dates or times", PLAIN},
    {"2024Q1", "id,action\n1,\"2024Q1\"\n2,\"2024Q1\"\n3,\"2024Q1\"\n", 0, NULL, "dates or times",
     PLAIN},
    {"Q1 2024", "id,action\n1,\"Q1 2024\"\n2,\"Q1 2024\"\n3,\"Q1 2024\"\n", 0, NULL,
     "dates or times", PLAIN},
    {"2024\xe5\xb9\xb4"
     "1\xe6\x9c\x88"
     "5\xe6\x97\xa5",
     "id,action\n1,\"2024\xe5\xb9\xb4"
     "1\xe6\x9c\x88"
     "5\xe6\x97\xa5\"\n2,\"2024\xe5\xb9\xb4"
     "1\xe6\x9c\x88"
     "5\xe6\x97\xa5\"\n3,\"2024\xe5\xb9\xb4"
     "1\xe6\x9c\x88"
     "5\xe6\x97\xa5\"\n",
     0, NULL, "dates or times", PLAIN},
    {"Friday, January 5, 2024",
     "id,action\n1,\"Friday, January 5, 2024\"\n2,\"Friday, January 5, 2024\"\n3,\"Friday, January "
     "5, 2024\"\n",
     0, NULL, "dates or times", PLAIN},
    {"Fri Jan  5 10:00:00 2024",
     "id,action\n1,\"Fri Jan  5 10:00:00 2024\"\n2,\"Fri Jan  5 10:00:00 2024\"\n3,\"Fri Jan  5 "
     "10:00:00 2024\"\n",
     0, NULL, "dates or times", PLAIN},
    {"24-01-05", "id,action\n1,\"24-01-05\"\n2,\"24-01-05\"\n3,\"24-01-05\"\n", 0, NULL,
     "dates or times", PLAIN},
    {"Jan 5th, 2024", "id,action\n1,\"Jan 5th, 2024\"\n2,\"Jan 5th, 2024\"\n3,\"Jan 5th, 2024\"\n",
     0, NULL, "dates or times", PLAIN},
    {"2024-01-05 10:00:00.123",
     "id,action\n1,\"2024-01-05 10:00:00.123\"\n2,\"2024-01-05 10:00:00.123\"\n3,\"2024-01-05 "
     "10:00:00.123\"\n",
     0, NULL, "dates or times", PLAIN},
    {"dates as numbers that are arms", "id,action\n1,20240105\n2,20240106\n3,20240105\n", 0,
     "20240105:2 20240106:1 | 3 0", NULL, WITH(.arms = 2)},
    {"times that are arms", "id,action\n1,10:30\n2,11:30\n3,10:30\n", 0, "10:30:2 11:30:1 | 3 0",
     NULL, WITH(.arms = 2)},
    {"days of the week", "id,action\n1,Mon\n2,Tue\n3,Mon\n", 0, "Mon:2 Tue:1 | 3 0", NULL, PLAIN},
    {"months", "id,action\n1,January\n2,May\n3,May\n", 0, "January:1 May:2 | 3 0", NULL, PLAIN},
    {"ratios", "id,action\n1,1:2\n2,1:4\n3,1:2\n", 0, "1:2:2 1:4:1 | 3 0", NULL, PLAIN},
    {"numbers of eight digits", "id,action\n1,99887766\n2,12345678\n3,12345678\n", 0,
     "12345678:2 99887766:1 | 3 0", NULL, PLAIN},
    {"names that begin like months", "id,action\n1,Marvin 5\n2,Decaf 2\n3,Decaf 2\n", 0,
     "Marvin 5:1 Decaf 2:2 | 3 0", NULL, PLAIN},
};

CLAIM(dates_and_times_of_all_kinds_are_not_taken_for_arms) {
    EXPECT_SHAPES(days);
}

static const shape sums[] = {
    {"a sum among the labels", "id,action,amount\n1,A,3\n2,B,4\n3,A,4\n,Total,11\n", 0, NULL,
     "may be the sum", PLAIN},
    {"a German sum", "action;count\nA;30\nB;20\nSumme;50\n", 0, NULL, "may be the sum", PLAIN},
    {"a Russian sum", "action;count\nA;30\nB;20\n\xd0\x98\xd1\x82\xd0\xbe\xd0\xb3\xd0\xbe;50\n", 0,
     NULL, "may be the sum", PLAIN},
    {"a sum of which nobody knows the name", "action,count\nA,300\nB,200\nC,15\nKokku,515\n", 0,
     NULL, "may be the sum", PLAIN},
    {"a sum of which nobody knows the name, an arm",
     "action,count\nA,300\nB,200\nC,15\nKokku,515\n", 0, "A:300 B:200 C:15 Kokku:515 | 4 0", NULL,
     WITH(.arms = 4)},
    {"a segment of sums", "action,seg,count\nA,x,3\nB,x,2\nA,Total,3\nB,Total,2\n", 0, NULL,
     "sum of all others", WITH(.segment = "seg")},
    {"an arm that is called all", "action,count\nA,30\nall,20\n", 0, "A:30 all:20 | 2 0", NULL,
     PLAIN},
    {"rows that were offered",
     "user,action,chosen\n1,A,1\n1,B,0\n2,A,0\n2,B,1\n3,A,1\n3,C,0\n3,B,0\n", 0, NULL,
     "mark the rows that were chosen", PLAIN},
    {"rows that were offered, told",
     "user,action,chosen\n1,A,1\n1,B,0\n2,A,0\n2,B,1\n3,A,1\n3,C,0\n3,B,0\n", 0,
     "A:2 B:1 C:0 | 7 0", NULL, WITH(.count = "chosen")},
    {"rows that were offered, by truth",
     "user,action,chosen\n1,A,True\n1,B,False\n2,A,False\n2,B,True\n3,A,True\n3,B,False\n", 0,
     "A:2 B:1 | 6 0", NULL, WITH(.count = "chosen")},
    {"a column of marks that are all 1", "action,chosen\nA,1\nB,1\nA,1\n", 0, "A:2 B:1 | 3 0", NULL,
     PLAIN},
    {"Anzahl", "action;Anzahl\nA;30\nB;20\nA;5\n", 0, NULL, "may hold counts", PLAIN},
    {"count(*)", "age,action,count(*)\n1,A,30\n1,B,20\n2,A,5\n", 0, NULL, "may hold counts", PLAIN},
    {"n_patients", "age,action,n_patients\n1,A,30\n1,B,20\n2,A,5\n", 0, NULL, "may hold counts",
     PLAIN},
    {"sizes of groups in pandas", "age,action,0\n1,A,30\n1,B,20\n2,A,5\n", 0, NULL,
     "may hold counts", PLAIN},
    {"as.data.frame(table(x)) of R", "action,Freq\nA,30\nB,20\n", 0, NULL, "may hold counts",
     PLAIN},
    {"points between thousands", "action;count\nA;1.000\nB;2.000\n", 0, NULL, "between thousands",
     PLAIN},
    {"blanks between thousands", "action;count\nA;1 200\nB;3 000\n", 0, NULL, "between thousands",
     PLAIN},
    {"narrow blanks between thousands",
     "action;count\nA;1\xe2\x80\xaf"
     "200\nB;3\xe2\x80\xaf"
     "000\n",
     0, NULL, "between thousands", PLAIN},
    {"apostrophes between thousands", "action;count\nA;1'200\nB;3'000\n", 0, NULL,
     "between thousands", PLAIN},
    {"percentages for counts", "action,count\nA,60%\nB,40%\n", 0, NULL, "percentage", PLAIN},
    {"counts with an exponent", "action,count\nA,1.2E+03\nB,3E+02\n", 0, "A:1200 B:300 | 2 0", NULL,
     PLAIN},
};

CLAIM(counts_marks_and_sums_are_noticed_under_their_names) {
    EXPECT_SHAPES(sums);
}

static const shape objects[] = {
    {"columns", "{\"id\":{\"0\":1,\"1\":2},\"action\":{\"0\":\"A\",\"1\":\"B\"}}", 0, NULL,
     "orient='records'", PLAIN},
    {"split", "{\"columns\":[\"id\",\"action\"],\"index\":[0,1],\"data\":[[1,\"A\"],[2,\"B\"]]}", 0,
     NULL, "orient='records'", PLAIN},
    {"index", "{\"0\":{\"id\":1,\"action\":\"A\"},\"1\":{\"id\":2,\"action\":\"B\"}}", 0, NULL,
     "orient='records'", PLAIN},
    {"table", "{\"schema\":{\"fields\":[]},\"data\":[{\"index\":0,\"action\":\"A\"}]}", 0, NULL,
     "orient='records'", PLAIN},
    {"lists", "{\"id\":[1,2],\"action\":[\"A\",\"B\"]}", 0, NULL, "orient='records'", PLAIN},
    {"inside another", "{\"event\":{\"action\":\"A\"}}\n{\"event\":{\"action\":\"B\"}}\n", 0, NULL,
     "jq", WITH(.action = "event.action")},
    {"others inside that are not used",
     "{\"action\":\"A\",\"at\":{\"x\":[1,2]}}\n{\"action\":\"B\",\"at\":{}}\n{\"action\":\"A\","
     "\"at\":null}\n",
     0, "A:2 B:1 | 3 0", NULL, PLAIN},
    {"a key that the first does not have", "{\"id\":1}\n{\"id\":2,\"action\":\"A\"}\n", 0, NULL,
     "first object must have it", PLAIN},
    {"keys in two cases", "{\"Action\":\"A\"}\n{\"action\":\"B\"}\n{\"Action\":\"A\"}\n", 0, NULL,
     "in case", PLAIN},
    {"Python's quotes", "{'action':'A'}\n{'action':'B'}\n", 0, NULL, "json.dumps", PLAIN},
    {"NaN of Python", "{\"action\":\"A\"}\n{\"action\":NaN}\n", 0, NULL, "write null", PLAIN},
    {"commas behind lines", "{\"action\":\"A\"},\n{\"action\":\"B\"},\n", 0, NULL, "is not JSON",
     PLAIN},
    {"no line breaks", "{\"action\":\"A\"}{\"action\":\"B\"}{\"action\":\"A\"}", 0, "A:2 B:1 | 3 0",
     NULL, PLAIN},
    {"a mark and CRLF",
     "\xef\xbb\xbf{\"action\":\"A\"}\r\n{\"action\":\"B\"}\r\n{\"action\":\"A\"}\r\n", 0,
     "A:2 B:1 | 3 0", NULL, PLAIN},
    {"numbers and their texts",
     "{\"action\":1}\n{\"action\":\"1\"}\n{\"action\":2}\n{\"action\":1.0}\n", 0, "1:3 2:1 | 4 0",
     NULL, PLAIN},
    {"a quoted value per line", "\"A\"\n\"B\"\n\"A\"\n", 0, "A:2 B:1 | 3 0", NULL, PLAIN},
    {"an empty object", "{}", 0, NULL, "no column", PLAIN},
    {"counts by key", "{\"A\":30,\"B\":20}", 0, NULL, "no column is called", PLAIN},
};

CLAIM(json_of_every_orientation_is_read_or_refused) {
    EXPECT_SHAPES(objects);
}

CLAIM(wide_tables_are_read_and_their_delimiter_asked_for) {
    char *text = malloc(400000);
    size_t used = 0;
    for (int line = 0; line < 4; line++) {
        for (int i = 0; i < 9000; i++) {
            used += (size_t)sprintf(text + used, line == 0 ? "gene%d," : "%d,", i % 10);
        }
        used += (size_t)sprintf(text + used, "%s\n", line == 0 ? "action" : line == 2 ? "B" : "A");
    }
    const shape wide = {"a wide table", text, used, "A:2 B:1 | 3 0", NULL, PLAIN};
    expect_shape(&wide);
    const size_t header = (size_t)(strchr(text, '\n') - text);
    memmove(text + header + 30000, text + header, used - header);
    memset(text + header, 'x', 30000);
    const shape asked = {"a very wide table",        text, used + 30000, NULL,
                         "name it with --delimiter", PLAIN};
    expect_shape(&asked);
    free(text);
}
