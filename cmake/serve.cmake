# experior-serve, the program behind `experior serve`, `experior token` and `experior audit`: the only one that is
# linked with libmicrohttpd, libcrypto and libpq. It is built if the first two are there: XP_SERVE is AUTO (if found),
# ON (fail without them) or OFF. It can use PostgreSQL if libpq is there: XP_POSTGRESQL, likewise. The library and the
# command line tool are the same in all cases. Sets
#     XP_SERVE_PLACES   a generated source file: where the command line tool looks for the program
xp_wanted(XP_SERVE)
set(XP_SERVE_FOUND FALSE)
if(NOT wanted STREQUAL "OFF")
    pkg_check_modules(MICROHTTPD QUIET IMPORTED_TARGET libmicrohttpd>=0.9.70)
    pkg_check_modules(CRYPTO QUIET IMPORTED_TARGET libcrypto>=3)
    if(MICROHTTPD_FOUND AND CRYPTO_FOUND)
        set(XP_SERVE_FOUND TRUE)
    elseif(wanted STREQUAL "ON")
        message(FATAL_ERROR "XP_SERVE is ON, but pkg-config finds no libmicrohttpd or no libcrypto: "
                            "install libmicrohttpd-dev and libssl-dev")
    else()
        message(STATUS "libmicrohttpd or libcrypto is not installed: 'experior serve' is not built")
    endif()
endif()

xp_wanted(XP_POSTGRESQL)
set(XP_POSTGRESQL_FOUND FALSE)
if(XP_SERVE_FOUND AND NOT wanted STREQUAL "OFF")
    pkg_check_modules(PQ QUIET IMPORTED_TARGET libpq>=14) # has the pipeline mode
    if(PQ_FOUND)
        set(XP_POSTGRESQL_FOUND TRUE)
    elseif(wanted STREQUAL "ON")
        message(FATAL_ERROR "XP_POSTGRESQL is ON, but pkg-config finds no libpq 14 or later: install libpq-dev")
    else()
        message(STATUS "libpq 14 or later is not installed: 'experior serve' keeps experiments in SQLite files only")
    endif()
endif()

# The sources of the stores, and what they are linked with.
function(xp_serve_stores target)
    file(GLOB stores CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/serve/stores/*.c)
    if(XP_POSTGRESQL_FOUND)
        target_compile_definitions(${target} PRIVATE SERVE_POSTGRESQL)
        target_link_libraries(${target} PRIVATE PkgConfig::PQ)
    else()
        list(FILTER stores EXCLUDE REGEX "/postgresql[^/]*$")
    endif()
    target_sources(${target} PRIVATE ${stores})
    target_link_libraries(${target} PRIVATE PkgConfig::SQLITE3)
endfunction()

xp_places(XP_SERVE_PLACES serve cli_service_places service.h experior-serve
          FROM ${CMAKE_INSTALL_FULL_BINDIR} BESIDE ${XP_LIBEXEC})

# Puts a file into the program as the array serve_asset_<name>, dots of its name being underscores.
function(xp_serve_asset path output)
    get_filename_component(name ${path} NAME)
    string(MAKE_C_IDENTIFIER ${name} name)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    set(generated ${CMAKE_BINARY_DIR}/generated/asset_${name}.c)
    file(CONFIGURE OUTPUT ${generated} CONTENT
"/* Generated from ${name} by cmake/serve.cmake. */
#include \"serve/assets.h\"

const unsigned char serve_asset_${name}[] = {
    @bytes@
};
const size_t serve_asset_${name}_bytes = sizeof serve_asset_${name};
" @ONLY)
    set(${output} ${${output}} ${generated} PARENT_SCOPE)
endfunction()

function(xp_serve_program) # after the library's targets are known
    set(assets "")
    foreach(file protocol/openapi.json dashboard/dashboard.html dashboard/dashboard.css dashboard/dashboard.js)
        xp_serve_asset(${CMAKE_SOURCE_DIR}/src/serve/${file} assets)
    endforeach()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/serve/*.c)
    list(FILTER sources EXCLUDE REGEX "/serve/stores/")
    add_executable(experior_serve ${sources} ${assets})
    xp_serve_stores(experior_serve)
    target_compile_definitions(experior_serve PRIVATE _DEFAULT_SOURCE)
    target_include_directories(experior_serve PRIVATE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(experior_serve PRIVATE experior_static PkgConfig::MICROHTTPD PkgConfig::CRYPTO
                          PkgConfig::JANSSON Threads::Threads m)
    set_target_properties(experior_serve PROPERTIES OUTPUT_NAME experior-serve
                          RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${XP_LIBEXEC})
endfunction()
