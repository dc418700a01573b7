# What is built for use (optimised, without sanitizers) checks the sizes of copies and the stack, is placed anywhere in
# memory and has no table that stays writable. None of it changes a result.
include(CheckCSourceCompiles)
include(CheckPIESupported)

set(hardened "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")
if(XP_SANITIZE OR XP_FUZZ)
    set(hardened 0)
endif()

# Level 3 where compiler and C library have it: others warn and take it for 2.
set(XP_FORTIFY 2)
set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
check_c_source_compiles("#include <string.h>
#if !defined __has_builtin
#error
#elif !__has_builtin(__builtin_dynamic_object_size)
#error
#endif
int main(void) { return 0; }" XP_HAS_FORTIFY_3)
unset(CMAKE_REQUIRED_FLAGS)
if(XP_HAS_FORTIFY_3)
    set(XP_FORTIFY 3)
endif()

add_compile_options("$<${hardened}:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${XP_FORTIFY};-fstack-protector-strong>")
add_link_options("$<${hardened}:LINKER:-z,relro,-z,now,-z,noexecstack>")
check_pie_supported(LANGUAGES C) # so that position-independent code also makes position-independent programs
