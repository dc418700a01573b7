# Collects the implementations of a stage. A file src/<folder>/*.c that defines
#     const xp_<stage>_type xp__<stage>_<name> = {
# is an implementation; writing that file is all it takes to add one. The folder is named after the stage, but
# for q_prior, which lives beside its sibling.
function(xp_registry stage folder output)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.c)
    set(declarations "")
    set(entries "")
    set(count 0)
    foreach(source IN LISTS sources)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
        file(STRINGS ${source} lines REGEX "^const xp_${stage}_type xp__${stage}_[a-z0-9_]+ = {")
        foreach(line IN LISTS lines)
            string(REGEX REPLACE "^const xp_${stage}_type (xp__${stage}_[a-z0-9_]+) = {.*" "\\1" symbol "${line}")
            string(APPEND declarations "extern const xp_${stage}_type ${symbol};\n")
            string(APPEND entries "    &${symbol},\n")
            math(EXPR count "${count} + 1")
        endforeach()
    endforeach()
    set(generated ${CMAKE_BINARY_DIR}/generated/${stage}_registry.c)
    file(CONFIGURE OUTPUT ${generated} CONTENT
"/* Generated from src/${folder} by cmake/registry.cmake. */
#include \"${folder}/${stage}_type.h\"

@declarations@
const xp_${stage}_type *const xp__${stage}_types[] = {
@entries@};
const size_t xp__${stage}_type_count = @count@;
" @ONLY)
    set(${output} ${generated} PARENT_SCOPE)
endfunction()
