/* Tables as people have them: each is read right, or refused with the reason and the way out. */
#include "table/shape.h"

#include <stdlib.h>
#include <zlib.h>

static const shape delimiters[] = {
    {"commas", "id,action\n1,A\n2,B\n3,A\n", 0, "A:2 B:1 | 3 0", NULL, PLAIN},
    {"semicolons", "id;action\n1;A\n2;B\n3;A\n", 0, "A:2 B:1 | 3 0", NULL, PLAIN},
    {"tabs, whatever the file is called", "id\taction\n1\tA\n2\tB\n3\tA\n", 0, "A:2 B:1 | 3 0",
     NULL, PLAIN},
    {"bars", "id|action\n1|A\n2|B\n3|A\n", 0, "A:2 B:1 | 3 0", NULL, PLAIN},
    {"Excel's line of its own", "sep=;\r\nid;action\r\n1;A\r\n2;A\r\n", 0, "A:2 | 2 0", NULL,
     PLAIN},
    {"Excel's line, quoted", "\"sep=|\"\nid|action\n1|A\n2|A\n", 0, "A:2 | 2 0", NULL, PLAIN},
    {"Excel's line with a tab", "sep=\t\nid\taction\n1\tA\n2\tA\n", 0, "A:2 | 2 0", NULL, PLAIN},
    {"decimal commas between semicolons", "price;action\n1,5;A\n2,5;B\n3,0;A\n", 0, "A:2 B:1 | 3 0",
     NULL, PLAIN},
    {"decimal commas in all lines but the header", "a,b;action\n1,5;A\n2,5;B\n3,0;A\n", 0,
     "A:2 B:1 | 3 0", NULL, PLAIN},
    {"semicolons and commas alike", "a,b;c\n1,2;3\n1,2;3\n", 0, NULL, "name the delimiter", PLAIN},
    {"semicolons and commas alike, told", "a,b;c\nx,2;3\ny,2;4\ny,2;4\n", 0, "3:1 4:2 | 3 0", NULL,
     WITH(.delimiter = ';', .action = "c")},
    {"a colon, told", "id:action\n1:A\n2:A\n", 0, "A:2 | 2 0", NULL, WITH(.delimiter = ':')},
    {"spaces, told", "id action\n1 A\n2 A\n", 0, "A:2 | 2 0", NULL, WITH(.delimiter = ' ')},
    {"spaces, not told", "id action\n1 A\n2 A\n", 0, NULL, "first line 'id action' may be", PLAIN},
    {"a label with another delimiter", "action\nA;x\nB\n", 0, NULL, "holds a semicolon", PLAIN},
    {"a label with another delimiter, told", "action\nA;x\nB\n", 0, "A;x:1 B:1 | 2 0", NULL,
     WITH(.delimiter = ',')},
    {"a bracket that begins no JSON", "[A],action\nx,A\ny,A\n", 0, "A:2 | 2 0", NULL,
     WITH(.delimiter = ',')},
    {"trailing delimiters everywhere", "id,action,\n1,A,\n2,A,\n", 0, "A:2 | 2 0", NULL, PLAIN},
    {"trailing delimiters but in the header", "id,action\n1,A,\n2,A,\n", 0, NULL,
     "expected 2 fields, found 3", PLAIN},
    {"row names without a header", "\"action\",\"x\"\n\"1\",\"A\",5\n\"2\",\"B\",6\n", 0, NULL,
     "row names", PLAIN},
    {"a row that is too short", "id,action\n1,A\n2\n", 0, NULL, "table:3: expected 2", PLAIN},
    {"a row that is too long", "id,action\n1,A\n2,B,C\n", 0, NULL, "table:3: expected 2", PLAIN},
};

CLAIM(delimiters_are_found_out_or_asked_for) {
    EXPECT_SHAPES(delimiters);
}

static const shape lines[] = {
    {"CRLF", "action\r\nA\r\nB\r\nA\r\n", 0, "A:2 B:1 | 3 0", NULL, PLAIN},
    {"CR only", "id,action\r1,A\r2,B\r3,A\r", 0, "A:2 B:1 | 3 0", NULL, PLAIN},
    {"no line end at the end", "id,action\n1,A\n2,A", 0, "A:2 | 2 0", NULL, PLAIN},
    {"CR inside lines", "id,action\n1,A\rB\n2,A\n", 0, NULL, "carriage return", PLAIN},
    {"blank lines in a table", "\n\nid,action\n1,A\n\n2,A\n\n\n", 0, "A:2 | 2 0", NULL, PLAIN},
    {"blank lines in a list are missing", "action\nA\n\nA\n\n", 0, "A:2 | 3 1", NULL, PLAIN},
    {"quoted line breaks", "note,action\n\"two\nlines\",A\n\"more\r\nlines\",A\n", 0, "A:2 | 2 0",
     NULL, PLAIN},
    {"quoted delimiters and quotes", "note,action\n\"a, \"\"b\"\"\",\"A, B\"\nx,\"A, B\"\n", 0,
     "A, B:2 | 2 0", NULL, PLAIN},
    {"a quote inside a field", "size,action\n5\" pipe,A\n7\" pipe,A\n", 0, "A:2 | 2 0", NULL,
     PLAIN},
    {"text behind a closing quote", "id,action\n1,\"A\"B\n", 0, NULL, "after a closing quote",
     PLAIN},
    {"a quote that stays open", "id,action\n1,\"A\n2,B\n", 0, NULL, "never closed", PLAIN},
    {"empty lines of a sheet", "id,action\n1,A\n,\n2,A\n,\n", 0, "A:2 | 4 2", NULL, PLAIN},
    {"spaces around", "id , action \n 1 ,  A \n 2 , A\n", 0, "A:2 | 2 0", NULL, PLAIN},
    {"no-break spaces around",
     "id,action\n1,\xc2\xa0"
     "A\xc2\xa0\n2,A\n",
     0, "A:2 | 2 0", NULL, PLAIN},
    {"no-break spaces inside",
     "id,action\n1,drug\xc2\xa0"
     "A\n2,drug A\n",
     0, NULL, "differ only in case, blanks", PLAIN},
    {"a comment on top", "# made by a program\nid,action\n1,A\n2,A\n", 0, "A:2 | 2 0", NULL, PLAIN},
    {"a comment that may be the header", "# id,action\n1,A\n2,A\n", 0, NULL,
     "comment or the header", PLAIN},
    {"labels with a number sign", "#1\n#2\n#1\n", 0, "#1:2 #2:1 | 3 0", NULL, PLAIN},
    {"a title above the header", "Report 2024,\nid,action\n1,A\n2,B\n", 0, NULL,
     "no column is called 'action'", PLAIN},
    {"joined files", "id,action\n1,A\n2,B\nid,action\n3,A\n", 0, NULL,
     "table:4: repeats the header", PLAIN},
    {"joined lists", "action\nA\nB\naction\nA\n", 0, NULL, "repeats the header", PLAIN},
    {"nothing", "", 0, NULL, "is empty", PLAIN},
    {"blank lines only", "\n \r\n\n", 0, NULL, "is empty", PLAIN},
    {"a header only", "id,action\n", 0, NULL, "no rows", PLAIN},
    {"a header only, one column", "action\n", 0, NULL, "no rows", PLAIN},
};

CLAIM(lines_quotes_and_blanks_are_read_as_they_are_meant) {
    EXPECT_SHAPES(lines);
}

static const shape encodings[] = {
    {"UTF-8 with its mark",
     "\xef\xbb\xbf"
     "action\nA\nA\n",
     0, "A:2 | 2 0", NULL, PLAIN},
    {"names in UTF-8", "id,action\n1,caf\xc3\xa9\n2,caf\xc3\xa9\n", 0, "caf\xc3\xa9:2 | 2 0", NULL,
     PLAIN},
    {"UTF-16, little end first",
     BYTES("\xff\xfe"
           "a\0c\0t\0i\0o\0n\0\n\0\xe9\0\n\0\x3d\xd8\x00\xde\n\0\xe9\0\n\0"),
     "\xc3\xa9:2 \xf0\x9f\x98\x80:1 | 3 0", NULL, PLAIN},
    {"UTF-16, big end first", BYTES("\xfe\xff\0a\0c\0t\0i\0o\0n\0\r\0\n\0A\0\r\0\n\0A"),
     "A:2 | 2 0", NULL, PLAIN},
    {"UTF-16 without its mark", BYTES("a\0c\0t\0i\0o\0n\0\n\0A\0\n\0"), NULL, "UTF-16", PLAIN},
    {"UTF-16, cut",
     BYTES("\xff\xfe"
           "A\0\n\0A\0\n"),
     NULL, "half a character", PLAIN},
    {"UTF-32", BYTES("\xff\xfe\0\0A\0\0\0"), NULL, "UTF-32", PLAIN},
    {"Latin-1 labels", "id,action\n1,caf\xe9\n2,caf\xe9\n", 0, NULL, "is not UTF-8", PLAIN},
    {"Latin-1 elsewhere", "who,action\nJos\xe9,A\nJos\xe9,A\n", 0, "A:2 | 2 0", NULL, PLAIN},
    {"a zero byte", BYTES("id,action\n1,A\n2,\0\n"), NULL, "zero byte", PLAIN},
    {"a workbook", BYTES("PK\x03\x04\x14\0\x06\0"), NULL, "save the sheet as CSV", PLAIN},
    {"an old workbook", BYTES("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0"), NULL, "as CSV", PLAIN},
    {"Parquet", BYTES("PAR1\x15\x04\x15\x10"), NULL, "Parquet", PLAIN},
    {"a web page", "\n<!DOCTYPE html>\n<html><body>404</body></html>\n", 0, NULL, "HTML", PLAIN},
    {"XML", "<?xml version=\"1.0\"?><a/>", 0, NULL, "HTML or XML", PLAIN},
    {"SQLite", BYTES("SQLite format 3\0\x10\0"), NULL, "SQLite", PLAIN},
    {"zstd", BYTES("\x28\xb5\x2f\xfd\x04\x58"), NULL, "zstd", PLAIN},
    {"bzip2", BYTES("BZh91AY&SY"), NULL, "bzip2", PLAIN},
    {"xz",
     BYTES("\xfd"
           "7zXZ\0\0"),
     NULL, "xz", PLAIN},
    {"a pickle", BYTES("\x80\x04\x95\x10\0"), NULL, "pickle", PLAIN},
    {"NumPy", BYTES("\x93NUMPY\x01\0"), NULL, "NumPy", PLAIN},
    {"HDF5", BYTES("\x89HDF\r\n\x1a\n\0\0"), NULL, "HDF5", PLAIN},
    {"PDF", "%PDF-1.7\n", 0, NULL, "PDF", PLAIN},
};

CLAIM(encodings_are_told_and_other_kinds_of_file_are_named) {
    EXPECT_SHAPES(encodings);
}

static const shape headers[] = {
    {"another column", "id,drug,day\n1,A,2024-01-01\n2,B,2024-01-02\n3,A,2024-01-02\n", 0,
     "A:2 B:1 | 3 0", NULL, WITH(.action = "drug")},
    {"a column that is not named", "id,drug\n1,A\n2,B\n", 0, NULL, "with --action, of 'id', 'drug'",
     PLAIN},
    {"a column that is not there", "id,drug\n1,A\n2,B\n", 0, NULL, "names no column",
     WITH(.action = "Arm")},
    {"a name in another case", "ID,Drug\n1,A\n2,A\n", 0, "A:2 | 2 0", NULL, WITH(.action = "drug")},
    {"names that differ in case", "drug,Drug\nA,B\nA,C\nA,B\n", 0, "B:2 C:1 | 3 0", NULL,
     WITH(.action = "Drug")},
    {"a name that appears twice", "drug,drug\nA,B\nA,C\n", 0, NULL, "appears twice",
     WITH(.action = "drug")},
    {"'action' twice", "action,Action\nA,B\nA,C\n", 0, NULL, "appears twice", PLAIN},
    {"other names twice", "x,x,action\n1,2,A\n1,2,A\n", 0, "A:2 | 2 0", NULL, PLAIN},
    {"pandas' index", ",action\n0,A\n1,B\n2,A\n", 0, "A:2 B:1 | 3 0", NULL, PLAIN},
    {"pandas' index, read again", "Unnamed: 0,action\n0,A\n1,B\n2,A\n", 0, "A:2 B:1 | 3 0", NULL,
     PLAIN},
    {"pandas' value_counts", ",action\nA,120\nB,80\n", 0, NULL, "may be counts", PLAIN},
    {"pandas' nameless series", "0\n1\n2\n3\n1\n2\n3\n", 0, NULL, "first line '0' may be", PLAIN},
    {"pandas' nameless series of names", "0\nA\nB\nA\nB\n", 0, NULL, "first line '0' may be",
     PLAIN},
    {"pandas' nameless series, told", "0\nA\nB\nA\nB\n", 0, "A:2 B:2 | 4 0", NULL,
     WITH(.action = "0")},
    {"an unknown header", "treatment\nA\nB\nA\n", 0, NULL, "'treatment' may be the name", PLAIN},
    {"an unknown header, told", "treatment\nA\nB\nA\n", 0, "A:2 B:1 | 3 0", NULL,
     WITH(.action = "treatment")},
    {"an unknown header that is data", "treatment\nA\nB\nA\n", 0, "treatment:1 A:2 B:1 | 4 0", NULL,
     WITH(.no_header = true)},
    {"an unknown header above numbers", "arm\n1\n2\n1\n", 0, NULL, "'arm' may be the name", PLAIN},
    {"a list without a header", "B\nA\nB\n", 0, "B:2 A:1 | 3 0", NULL, PLAIN},
    {"a header in joined lists", "arm\nA\narm\nB\n", 0, NULL, "'arm' may be the name", PLAIN},
    {"columns without a header", "1,A\n2,B\n3,A\n", 0, NULL, "--no-header", PLAIN},
    {"columns without a header, told", "1,A\n2,B\n3,A\n", 0, "A:2 B:1 | 3 0", NULL,
     WITH(.no_header = true, .action = "2")},
    {"columns without a header, not all told", "1,A\n2,B\n3,A\n", 0, NULL, "give the number",
     WITH(.no_header = true)},
    {"a number that is no column", "1,A\n2,B\n", 0, NULL, "is not the number of a column",
     WITH(.no_header = true, .action = "3")},
    {"some columns of trajectories", "state,action\nTexas,A\nOhio,A\n", 0, NULL, "trajectories",
     PLAIN},
    {"a state of the union", "state,action\nTexas,A\nOhio,A\n", 0, "A:2 | 2 0", NULL,
     WITH(.action = "action")},
    {"rewards are ignored", "action,reward\nA,1\nB,0\nA,0\n", 0, "A:2 B:1 | 3 0", NULL, PLAIN},
};

CLAIM(columns_are_found_by_name_and_a_header_is_never_an_arm) {
    EXPECT_SHAPES(headers);
}

static const shape values[] = {
    {"missing values", "id,action\n1,A\n2,\n3,NA\n4,NaN\n5,None\n6,null\n7,N/A\n8,<NA>\n9,A\n", 0,
     "A:2 | 9 7", NULL, PLAIN},
    {"all missing", "id,action\n1,\n2,NA\n", 0, NULL, "no choices", PLAIN},
    {"no treatment is an arm", "id,action\n1,none\n2,A\n3,none\n", 0, "none:2 A:1 | 3 0", NULL,
     PLAIN},
    {"none and None", "id,action\n1,none\n2,None\n3,A\n4,A\n", 0, NULL,
     "'None', which is a missing", PLAIN},
    {"a question mark", "id,action\n1,A\n2,?\n", 0, NULL, "missing value or a label", PLAIN},
    {"an error of Excel's", "id,action\n1,A\n2,#REF!\n", 0, NULL, "missing value or a label",
     PLAIN},
    {"whole numbers as reals", "id,action\n1,1.0\n2,\n3,2.0\n4,1.0\n", 0, "1:2 2:1 | 4 1", NULL,
     PLAIN},
    {"one number, two spellings", "id,action\n1,1.0\n2,1\n3,2\n4,2\n", 0, "1:2 2:2 | 4 0", NULL,
     PLAIN},
    {"numbers from 0", "id,action\n1,1\n2,0\n3,2\n4,0\n", 0, "#0:2 #1:1 #2:1 | 4 0", NULL, PLAIN},
    {"numbers from 1", "id,action\n1,2\n2,1\n3,3\n4,1\n", 0, "1:2 2:1 3:1 | 4 0", NULL, PLAIN},
    {"numbers with gaps", "3\n10\n3\n0\n", 0, "0:1 3:2 10:1 | 4 0", NULL, PLAIN},
    {"numbers with gaps, told", "3\n1\n3\n", 0, "#0:0 #1:1 #2:0 #3:2 #4:0 | 3 0", NULL,
     WITH(.arms = 5)},
    {"numbers beyond what was told", "1\n2\n3\n1\n", 0, NULL, "outside 0 .. 2", WITH(.arms = 3)},
    {"codes with zeros", "id,action\n1,007\n2,010\n3,007\n", 0, "007:2 010:1 | 3 0", NULL, PLAIN},
    {"codes and numbers", "id,action\n1,007\n2,7\n3,8\n4,8\n", 0, NULL, "differ only in", PLAIN},
    {"doses", "id,action\n1,0.5\n2,1.5\n3,0.5\n", 0, "0.5:2 1.5:1 | 3 0", NULL, PLAIN},
    {"buy, hold and sell", "id,action\n1,1\n2,-1\n3,0\n4,-1\n", 0, "-1:2 0:1 1:1 | 4 0", NULL,
     PLAIN},
    {"truth values", "id,action\n1,True\n2,False\n3,True\n", 0, "True:2 False:1 | 3 0", NULL,
     PLAIN},
    {"labels in mixed case", "id,action\n1,Drug A\n2,drug a\n3,B\n4,B\n", 0, NULL, "say --exact",
     PLAIN},
    {"labels in mixed case, told", "id,action\n1,A\n2,a\n3,A\n", 0, "A:2 a:1 | 3 0", NULL,
     WITH(.exact = true)},
    {"dates as labels", "id,action\n1,2024-01-01\n2,2024-01-02\n3,2024-01-01\n", 0, NULL,
     "holds dates", PLAIN},
    {"days as labels", "id,action\n1,1/5/2024\n2,2/5/2024\n3,1/5/2024\n", 0, NULL, "holds dates",
     PLAIN},
    {"times as labels",
     "id,action\n1,2024-01-01T10:00:00Z\n2,2024-01-02 10:00\n3,2024-01-01T10:00:00Z\n", 0, NULL,
     "holds dates", PLAIN},
    {"what Excel makes of 1-1", "action\n01-Jan\n02-Jan\n01-Jan\n02-Jan\n", 0, NULL, "holds dates",
     PLAIN},
    {"dates that are arms", "id,action\n1,2024-01-01\n2,2024-01-02\n3,2024-01-01\n", 0,
     "2024-01-01:2 2024-01-02:1 | 3 0", NULL, WITH(.arms = 2)},
    {"versions", "id,action\n1,1.2.3\n2,1.2.4\n3,1.2.3\n", 0, "1.2.3:2 1.2.4:1 | 3 0", NULL, PLAIN},
    {"an id as the action", "action,x\nu1,A\nu2,A\nu3,B\nu4,A\n", 0, NULL, "if they are ids",
     PLAIN},
};

static const shape mistakes[] = {
    {"a table of counts by group", "age,action,sales\nold,A,30\nold,B,20\nyoung,A,1\nyoung,B,7\n",
     0, NULL, "may say how often each occurred", PLAIN},
    {"a table of counts by group, told",
     "age,action,sales\nold,A,30\nold,B,20\nyoung,A,1\nyoung,B,7\n", 0, "A:31 B:27 | 4 0", NULL,
     WITH(.count = "sales")},
    {"a table of shares", "action,share\nA,0.3\nB,0.7\n", 0, NULL, "2 labels in 2 rows", PLAIN},
    {"a cross table", "action,old,young\nA,10,20\nB,5,7\n", 0, NULL, "2 labels in 2 rows", PLAIN},
    {"a column per arm", "user,A,B\nu1,1,0\nu2,0,1\n", 0, NULL, "of 'user', 'A', 'B'", PLAIN},
    {"Markdown", "| id | action |\n|----|----|\n| 1 | A |\n| 2 | A |\n", 0, NULL, "'----' may be",
     PLAIN},
    {"YAML", "- A\n- B\n- A\n- B\n", 0, NULL, "YAML", PLAIN},
    {"a row of types", "id,action\nint,text\n1,A\n2,B\n3,A\n", 0, NULL, "second header", PLAIN},
    {"a row of sums", "id,action\n1,A\n2,B\n3,A\nTotal,3\n", 0, NULL, "sum of the others", PLAIN},
    {"a list in a cell", "id,action\n1,\"['A', 'B']\"\n2,A\n3,A\n", 0, NULL, "may be", PLAIN},
    {"curly quotes",
     "id,action\n1,\xe2\x80\x9c"
     "A\xe2\x80\x9d\n2,A\n3,A\n",
     0, NULL, "differ only in", PLAIN},
    {"accents in two spellings", "id,action\n1,caf\xc3\xa9\n2,cafe\xcc\x81\n3,x\n4,x\n", 0, NULL,
     "differ only in", PLAIN},
    {"Cyrillic in two cases", "id,action\n1,\xd0\x94\xd0\xb0\n2,\xd0\xb4\xd0\xb0\n3,x\n4,x\n", 0,
     NULL, "differ only in", PLAIN},
    {"numbers beyond a double's",
     "id,action\n1,9007199254740993\n2,9007199254740992\n3,9007199254740993\n", 0,
     "9007199254740993:2 9007199254740992:1 | 3 0", NULL, PLAIN},
    {"a DOS end of file", "action\nA\nB\nA\n\x1a", 0, "A:2 B:1 | 3 0", NULL, PLAIN},
    {"a form feed", "id,action\n1,A\x0c\n2,A\n", 0, "A:2 | 2 0", NULL, PLAIN},
    {"infinity", "id,action\n1,inf\n2,1\n3,2\n", 0, NULL, "may be", PLAIN},
    {"a formula", "id,action\n1,=\"007\"\n2,B\n3,B\n", 0, NULL, "may be", PLAIN},
    {"Latin-1 in the header",
     "id,gr\xf6\xdf"
     "e\n1,A\n2,A\n",
     0, NULL, "header is not UTF-8",
     WITH(.action = "gr\xc3\xb6\xc3\x9f"
                    "e")},
};

CLAIM(what_only_looks_like_a_table_of_choices_is_refused) {
    EXPECT_SHAPES(mistakes);
}

CLAIM(labels_are_kept_missing_ones_counted_and_doubtful_ones_refused) {
    EXPECT_SHAPES(values);
}

static const shape counts[] = {
    {"counted", "action,count\nA,30\nB,20\nA,5\n", 0, "A:35 B:20 | 3 0", NULL, PLAIN},
    {"counted, with an index", ",count,action\n0,30,A\n1,20,B\n", 0, "A:30 B:20 | 2 0", NULL,
     PLAIN},
    {"counts as reals", "action,count\nA,30.0\nB,2e1\nC,\n", 0, "A:30 B:20 C:0 | 3 1", NULL, PLAIN},
    {"arms that nobody chose", "action,count\nA,30\nB,0\n", 0, "A:30 B:0 | 2 0", NULL, PLAIN},
    {"a count that is not whole", "action,count\nA,3.5\n", 0, NULL, "not a whole number", PLAIN},
    {"a count below 0", "action,count\nA,-3\n", 0, NULL, "not a whole number", PLAIN},
    {"thousands", "action;count\nA;1,200\n", 0, NULL, "decimal point", PLAIN},
    {"counts under another name", "action,n\nA,30\nB,20\n", 0, NULL, "may hold counts", PLAIN},
    {"counts under another name, told", "action,n\nA,30\nB,20\n", 0, "A:30 B:20 | 2 0", NULL,
     WITH(.count = "n")},
    {"counts that are not meant", "action,n\nA,30\nB,20\nA,1\n", 0, "A:2 B:1 | 3 0", NULL,
     WITH(.count = "none")},
    {"counts by group", "age,action,count\nold,A,30\nold,B,20\nyoung,A,1\n", 0, NULL,
     "may hold counts", PLAIN},
    {"counts by group, told", "age,action,count\nold,A,30\nold,B,20\nyoung,A,1\n", 0,
     "A:31 B:20 | 3 0", NULL, WITH(.segment = "age")},
    {"a column 'size' of words", "size,action\nlarge,A\nsmall,B\nsmall,A\n", 0, "A:2 B:1 | 3 0",
     NULL, PLAIN},
    {"a total at the end", "action,count\nA,30\nB,20\nTotal,50\n", 0, NULL, "sum of all other arms",
     PLAIN},
    {"weights", "action,weight\nA,0.5\nB,1.5\nA,1\n", 0, NULL, "may hold weights", PLAIN},
    {"weights, told", "action,weight\nA,0.5\nB,1.5\nA,\n", 0, "A:1 B:1 | 3 1", NULL,
     WITH(.weight = "weight")},
    {"a weight with a comma", "action;weight\nA;0,5\nB;1,5\n", 0, NULL, "decimal point",
     WITH(.weight = "weight")},
    {"a weight below 0", "action;weight\nA;-1\nB;1\n", 0, NULL, "not a number from 0",
     WITH(.weight = "weight")},
    {"the same column twice", "action,n\nA,1\nB,2\n", 0, NULL, "the same column",
     WITH(.count = "n", .weight = "n")},
};

CLAIM(counts_and_weights_are_used_where_they_are_meant) {
    EXPECT_SHAPES(counts);
}

static const shape json[] = {
    {"objects",
     "[{\"id\": 1, \"action\": \"A\"}, {\"id\": 2, \"action\": \"B\"},\n"
     "{\"id\": 3, \"action\": \"A\"}]\n",
     0, "A:2 B:1 | 3 0", NULL, PLAIN},
    {"labels", "[\"A\", \"B\", null, \"A\"]", 0, "A:2 B:1 | 4 1", NULL, PLAIN},
    {"numbers", "[0, 1, 1, 2.0]", 0, "#0:1 #1:2 #2:1 | 4 0", NULL, PLAIN},
    {"truth values", "[true, false, true]", 0, "true:2 false:1 | 3 0", NULL, PLAIN},
    {"JSON lines", "{\"drug\": \"A\", \"age\": 7}\n{\"age\": 8, \"drug\": \"A\"}\n{\"age\": 9}\n",
     0, "A:2 | 3 1", NULL, WITH(.action = "drug")},
    {"objects over several lines", "{\n \"action\": \"A\"\n}\n{\n \"action\": \"A\"\n}\n", 0,
     "A:2 | 2 0", NULL, PLAIN},
    {"counted objects", "{\"action\": \"A\", \"count\": 3}\n{\"action\": \"B\"}\n", 0,
     "A:3 B:1 | 2 0", NULL, PLAIN},
    {"counted objects, the second", "{\"action\": \"A\"}\n{\"action\": \"B\", \"count\": 3}\n", 0,
     "A:1 B:3 | 2 0", NULL, PLAIN},
    {"a count that comes late", "{\"action\":\"A\",\"x\":1}\n{\"action\":\"B\",\"count\":3}\n", 0,
     NULL, "first object does not have", PLAIN},
    {"nothing in it", "[]", 0, NULL, "is empty", PLAIN},
    {"columns of lists", "{\"action\": {\"0\": \"A\", \"1\": \"B\"}}", 0, NULL, "orient='records'",
     PLAIN},
    {"lists of lists", "[[1, \"A\"], [2, \"B\"]]", 0, NULL, "rows are objects", PLAIN},
    {"mixed values", "[\"A\", {\"action\": \"B\"}]", 0, NULL, "rows are objects", PLAIN},
    {"another key", "[{\"drug\": \"A\"}]", 0, NULL, "of 'drug'", PLAIN},
    {"NaN, which is not JSON", "{\"action\": \"A\"}\n{\"action\": NaN}\n", 0, NULL,
     "table:2: is not JSON", PLAIN},
    {"cut", "[{\"action\": \"A\"}, {\"action\":", 0, NULL, "is not JSON", PLAIN},
    {"cut behind a value", "[{\"action\": \"A\"}", 0, NULL, "may be cut", PLAIN},
    {"a comma too many", "[1, 2, ]", 0, NULL, "comma before the end", PLAIN},
    {"text behind the array", "[1, 1] 2", 0, NULL, "text behind the end", PLAIN},
    {"a key twice", "{\"action\": \"A\", \"action\": \"B\"}", 0, NULL, "duplicate", PLAIN},
    {"trajectories", "{\"actions\": [0, 1]}", 0, NULL, "trajectories", PLAIN},
    {"trajectories after an action that nobody took",
     "{\"action\": 3, \"count\": 0}\n{\"actions\": [0, 1]}\n", 0, NULL, "trajectories", PLAIN},
};

CLAIM(json_arrays_and_json_lines_are_tables_too) {
    EXPECT_SHAPES(json);
}

/* The text as gzip has it, in a block to be freed. */
static unsigned char *pack(const char *text, size_t bytes, size_t *packed) {
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)text, .avail_in = (uInt)bytes};
    EXPECT(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    const size_t room = deflateBound(&stream, bytes);
    unsigned char *block = malloc(2 * room + 16);
    stream.next_out = block;
    stream.avail_out = (uInt)room;
    EXPECT(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    *packed = stream.total_out;
    EXPECT(deflateEnd(&stream) == Z_OK);
    return block;
}

static void expect_packed(const unsigned char *block, size_t bytes, const char *read,
                          const char *refused) {
    const shape own = {"gzip", (const char *)block, bytes, read, refused, PLAIN};
    expect_shape(&own);
}

CLAIM(gzip_is_unpacked_and_its_damage_noticed) {
    const char text[] = "id;action\n1;A\n2;B\n3;A\n";
    size_t bytes, second;
    unsigned char *block = pack(text, sizeof text - 1, &bytes);
    expect_packed(block, bytes, "A:2 B:1 | 3 0", NULL);
    expect_packed(block, bytes - 3, NULL, "cut off");
    expect_packed(block, 12, NULL, "cut off");
    unsigned char *more = pack("4;A\n", 4, &second);
    memcpy(block + bytes, more, second); /* files of gzip may be joined */
    expect_packed(block, bytes + second, "A:3 B:1 | 4 0", NULL);
    memset(block + bytes, 0, 8); /* tapes pad them */
    expect_packed(block, bytes + 8, "A:2 B:1 | 3 0", NULL);
    block[bytes] = 'x';
    expect_packed(block, bytes + 1, NULL, "other bytes behind its end");
    block[bytes - 6] ^= 1; /* the checksum */
    expect_packed(block, bytes, NULL, "damaged");
    free(block);
    free(more);
    block = pack("PK\x03\x04\0\0", 6, &bytes);
    expect_packed(block, bytes, NULL, "zip archive");
    free(block);
}

CLAIM(many_labels_are_refused_with_the_way_out) {
    char *text = malloc(200000);
    size_t used = (size_t)sprintf(text, "x,action\n");
    for (int i = 0; i < 6000; i++) {
        used += (size_t)sprintf(text + used, "%d,user %d\n", i % 3, i);
    }
    const shape own = {"ids", text, used, NULL, "name the column of choices with --action", PLAIN};
    expect_shape(&own);
    used = (size_t)sprintf(text, "x,action\n");
    for (int i = 0; i < 9000; i++) {
        used += (size_t)sprintf(text + used, "%d,u%d\n", i % 3, i % 1100);
    }
    const shape arms = {"too many arms", text, used, NULL, "at most 1024 arms", PLAIN};
    expect_shape(&arms);
    used = (size_t)sprintf(text, "x,action\n");
    for (int i = 0; i < 100; i++) {
        used += (size_t)sprintf(text + used, "%d,u%d\n", i % 3, i % 60);
    }
    const shape few = {
        "ids that recur", text, used, NULL, "if they are arms, say --arms 60", PLAIN};
    expect_shape(&few);
    free(text);
}

CLAIM(long_lines_are_read_and_endless_ones_refused) {
    char *text = malloc(3 << 20);
    size_t used = (size_t)sprintf(text, "note,action\n");
    for (int row = 0; row < 2; row++) {
        memset(text + used, 'x', 900000);
        used += 900000;
        used += (size_t)sprintf(text + used, ",A\n");
    }
    const shape own = {"long lines", text, used, "A:2 | 2 0", NULL, PLAIN};
    expect_shape(&own);
    used = (size_t)sprintf(text, "note,action\nx,A\n");
    memset(text + used, 'x', 1300000);
    used += 1300000;
    const shape endless = {"an endless line", text, used, NULL, "table:3: is longer than", PLAIN};
    expect_shape(&endless);
    free(text);
}

/* The buffer is refilled at many places of a record when records of many lengths follow. */
CLAIM(rows_survive_every_refill_of_the_buffer) {
    char *text = malloc(4000000);
    size_t used = (size_t)sprintf(text, "note,action\r\n");
    for (size_t i = 0; i < 20000; i++) {
        used += (size_t)sprintf(text + used, "\"%0*zu\r\n\"\"\",\"left, \"\"%zu\"\r\n",
                                (int)(i % 97), i, i % 4);
    }
    const shape own = {
        "refills", text,
        used,      "left, \"0:5000 left, \"1:5000 left, \"2:5000 left, \"3:5000 | 20000 0",
        NULL,      PLAIN};
    expect_shape(&own);
    free(text);
}
