# Tests as claims, in shell: source this, then
#     claim "header base.h compiles alone" command argument…
# A claim holds if its command succeeds; what a failing command said is printed. Ends with the count of claims.
passed=0
failed=0

claim() {
    local name=$1 said
    shift
    if said=$("$@" 2>&1 </dev/null); then
        passed=$((passed + 1))
    else
        printf '%s\nFAILED %s\n' "$said" "$name"
        failed=$((failed + 1))
    fi
}

claims_end() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
