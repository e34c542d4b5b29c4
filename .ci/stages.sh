# Sourced by the scripts beside it: named stages with their durations, a folder
# for temporary files that goes with the script, and the README's commands.

# The folder is the script's own; the trap below removes it.
temporary=$(mktemp -d)
lines=()
passed=0 skipped=0
current=""
begun=0
beside="" beside_begun=0 beside_process=""

# stage NAME COMMAND...: runs a command, which ends the script if it fails.
# Nothing may call it in a condition: bash then ignores failures inside.
stage() {
	current=$1 begun=$SECONDS
	printf '\n== %s\n' "$current"
	"${@:2}"
	lines+=("$(printf '%5d s  %s' $((SECONDS - begun)) "$current")")
	passed=$((passed + 1))
	current=""
}

# aside NAME COMMAND...: runs a command beside the stages that follow; awaited, which is
# called once it has to have ended, shows what it printed and ends the script if it
# failed, if there is one. There is one at a time.
aside() {
	beside=$1 beside_begun=$SECONDS
	printf '\n== beside what follows: %s\n' "$beside"
	# It has a process group of its own, by which it is ended with all that it started.
	set -m
	(trap - EXIT INT TERM; "${@:2}") >"$temporary/beside" 2>&1 </dev/null &
	beside_process=$!
	set +m
}

awaited() {
	local code=0
	if [[ -z $beside_process ]]; then return; fi
	wait "$beside_process" || code=$?
	beside_process=""
	current=$beside begun=$beside_begun
	printf '\n== %s\n' "$beside"
	cat "$temporary/beside"
	if ((code)); then exit "$code"; fi
	lines+=("$(printf '%5d s  %s (beside others)' $((SECONDS - begun)) "$beside")")
	passed=$((passed + 1))
	current=""
}

# tested COMMAND...: runs tests. If some fail, it runs the command once more: the go command repeats
# only packages that failed, and answers for the others from its cache. Tests that passed only then
# are listed below the stages: they are flaky and need a repair.
tested() {
	local log
	log=$(mktemp "$temporary/tested.XXXXXX")
	if "$@" > >(tee "$log") 2>&1; then return; fi
	printf '\n-- failed; once more\n'
	"$@"
	grep -E '^ *--- FAIL: |^FAIL[[:space:]]+[^ ]|^panic: ' "$log" >>"$temporary/flaky" || echo "$*" >>"$temporary/flaky"
}

# skip NAME WHY: tells of a stage that this machine or checkout cannot run.
skip() {
	printf '\n== %s\nskipped: %s\n' "$1" "$2"
	lines+=("skipped  $1: $2")
	skipped=$((skipped + 1))
}

# finish tells what was done, how long it took, and what failed.
finish() {
	local code=$?
	if [[ -n $beside_process ]]; then
		kill -- "-$beside_process" 2>/dev/null || true
		wait "$beside_process" 2>/dev/null || true
	fi
	local flaky=""
	if [[ -s $temporary/flaky ]]; then flaky=$(<"$temporary/flaky"); fi
	rm -rf "$temporary"
	printf '\n== stages\n'
	if ((${#lines[@]})); then printf '%s\n' "${lines[@]}"; fi
	if [[ -n $current ]]; then
		printf '%5d s  FAILED: %s\n' $((SECONDS - begun)) "$current"
	fi
	if [[ -n $flaky ]]; then printf 'flaky: these passed only when run again\n%s\n' "$flaky"; fi
	printf '%5d s  in all\n' "$SECONDS"
	printf '%d passed, %d failed, %d skipped\n' "$passed" "$((code != 0))" "$skipped"
	exit "$code"
}
trap finish EXIT
# A signal ends the script by way of the trap above.
trap 'exit 130' INT
trap 'exit 143' TERM

# readme_commands prints the go commands of the README's code blocks, in their
# order, without prompt and comment.
readme_commands() {
	awk '
		/^```/ { inside = !inside; next }
		inside || /^    / {
			sub(/^ +/, ""); sub(/^\$ /, ""); sub(/[ \t]+#.*$/, ""); sub(/[ \t]+$/, "")
			if (/^go (run|test) /) print
		}
	' README.md
}

# The two commands that the README opens with, and that are all the set-up.
stress_command='go run ./cmd/loadgen stress'
test_command='go test ./...'

# check_readme fails unless these are the README's first two commands, in either
# order.
check_readme() {
	local found expected
	found=$(readme_commands | awk 'NR <= 2' | sort)
	expected=$(printf '%s\n' "$stress_command" "$test_command" | sort)
	if [[ $found != "$expected" ]]; then
		printf 'the first two commands of README.md are\n%s\nexpected\n%s\n' "$found" "$expected"
		return 1
	fi
}
