#!/usr/bin/env bash
# Two hosts on one machine: two network namespaces, each with a host name of its own, and a cable between them.
#
#     hosts.sh COMMAND...      runs `mpirun --host FIRST,SECOND COMMAND...`, one process on each
#
# Ends with 77, and a word, where namespaces cannot be made (not root, no `ip`, a kernel that forbids it).
set -euo pipefail
mark=xp$$
first=10.213.77.1 second=10.213.77.2
say_no() { echo "skipped: $1"; exit 77; }
for tool in ip unshare mpirun; do
    command -v "$tool" >/dev/null || say_no "$tool is not installed"
done
[ "$(id -u)" = 0 ] || say_no "network namespaces need root"
agent=$(mktemp)
clean() {
    ip netns del "${mark}a" 2>/dev/null || true
    ip netns del "${mark}b" 2>/dev/null || true
    rm -f "$agent"
}
trap clean EXIT
ip netns add "${mark}a" 2>/dev/null || say_no "this machine makes no network namespaces"
ip netns add "${mark}b" 2>/dev/null || say_no "this machine makes no network namespaces"
ip link add "${mark}a" netns "${mark}a" type veth peer name "${mark}b" netns "${mark}b" 2>/dev/null ||
    say_no "this machine makes no virtual cables"
ip -n "${mark}a" addr add "$first/24" dev "${mark}a"
ip -n "${mark}b" addr add "$second/24" dev "${mark}b"
for end in a b; do
    ip -n "$mark$end" link set "$mark$end" up
    ip -n "$mark$end" link set lo up
done
# What mpirun takes for ssh: `agent HOST COMMAND...` becomes the command on that host.
cat >"$agent" <<END
#!/usr/bin/env bash
host=\$1
shift
[ "\$host" = $second ] || exit 1
exec ip netns exec ${mark}b unshare --uts bash -c 'hostname ${mark}b; exec bash -c "\$*"' bash "\$@"
END
chmod +x "$agent"
timeout 600 ip netns exec "${mark}a" unshare --uts bash -c "hostname ${mark}a; exec \"\$@\"" bash \
    mpirun --allow-run-as-root --mca plm_rsh_agent "$agent" --mca plm rsh --mca btl self,tcp \
    --mca btl_tcp_if_include 10.213.77.0/24 --mca oob_tcp_if_include 10.213.77.0/24 \
    --host "$first:1,$second:1" -n 2 "$@"
