# The extension module experior._core of the Python package: the library's objects and python/native/ in one file that
# exports its init function alone, against the limited API, so that one wheel serves every Python from 3.11 on.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
file(GLOB XP_NATIVE CONFIGURE_DEPENDS python/native/*.c)
add_library(experior_python MODULE ${XP_NATIVE} $<TARGET_OBJECTS:experior_objects>)
target_include_directories(experior_python PRIVATE include ${Python_INCLUDE_DIRS})
target_compile_definitions(experior_python PRIVATE Py_LIMITED_API=0x030b0000)
target_link_libraries(experior_python PRIVATE PkgConfig::JANSSON PkgConfig::SQLITE3 PkgConfig::ZLIB Threads::Threads m)
target_link_options(experior_python PRIVATE
                    LINKER:--version-script=${CMAKE_SOURCE_DIR}/python/native/exports.map)
set_target_properties(experior_python PROPERTIES PREFIX "" OUTPUT_NAME _core SUFFIX .abi3.so
                      LINK_DEPENDS ${CMAKE_SOURCE_DIR}/python/native/exports.map
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python/experior)
install(TARGETS experior_python LIBRARY DESTINATION experior COMPONENT python)
