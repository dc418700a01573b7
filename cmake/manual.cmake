# The manual page, made by the tool from its own option tables. A tool that cannot print it fails the build.
set(XP_MANUAL ${CMAKE_BINARY_DIR}/experior.1)
add_custom_command(OUTPUT ${XP_MANUAL}
    COMMAND experior manual > ${XP_MANUAL}.part
    COMMAND ${CMAKE_COMMAND} -E rename ${XP_MANUAL}.part ${XP_MANUAL}
    DEPENDS experior
    VERBATIM)
add_custom_target(manual ALL DEPENDS ${XP_MANUAL})
