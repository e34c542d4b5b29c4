package targettest_test

import (
	"fmt"

	"loadgen/target/targettest"
)

// A target that ignores the condition of a write is caught. In the test of a
// target, Run does the same with a *testing.T.
func ExampleChecks() {
	const rule = "a write on condition of another version changes nothing"
	flawed := targettest.Virtual(newFake(alterOperation(ignoreCondition)))
	for _, check := range targettest.Checks() {
		if check.Name == rule {
			fmt.Println(rule + ":")
			fmt.Println(check.Failures(flawed)[0])
		}
	}
	// Output:
	// a write on condition of another version changes nothing:
	// replace "p"/"1" = 204; want 412 UpdateConditionNotSatisfied
}
