# Puts the paper's numbers into the library: each data/paper/<name>.csv that a study compares with
# becomes an array of lines, so that an installed library needs no data files.
function(xp_embed output)
    set(arrays "")
    set(entries "")
    foreach(name IN LISTS ARGN)
        set(source ${CMAKE_SOURCE_DIR}/data/paper/${name}.csv)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
        file(STRINGS ${source} lines ENCODING UTF-8)
        string(APPEND arrays "static const char *const ${name}[] = {\n")
        foreach(line IN LISTS lines)
            string(REPLACE "\\" "\\\\" line "${line}")
            string(REPLACE "\"" "\\\"" line "${line}")
            string(APPEND arrays "    \"${line}\",\n")
        endforeach()
        string(APPEND arrays "};\n")
        list(LENGTH lines count)
        string(APPEND entries "    {\"${name}\", ${name}, ${count}},\n")
    endforeach()
    list(LENGTH ARGN files)
    set(generated ${CMAKE_BINARY_DIR}/generated/paper_data.c)
    file(CONFIGURE OUTPUT ${generated} CONTENT
"/* Generated from data/paper by cmake/embed.cmake. */
#include \"paper/paper.h\"

@arrays@
const xp__paper_file xp__paper_files[] = {
@entries@};
const size_t xp__paper_file_count = @files@;
" @ONLY)
    set(${output} ${generated} PARENT_SCOPE)
endfunction()
