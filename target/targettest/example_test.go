package targettest_test

import (
	"fmt"

	"loadgen/target/targettest"
)

// A target that ignores the condition of a write is caught. In the test of a
// target, Run does the same with a *testing.T.
func ExampleChecks() {
	const rule = "a write on condition of another version changes nothing"
	flawed := targettest.Virtual(newFake(conditionIgnored))
	for _, check := range targettest.Checks() {
		if check.Name != rule {
			continue
		}
		var found recorder // a Reporter that keeps the failures
		done := make(chan struct{})
		go func() {
			defer close(done)
			check.Run(&found, flawed) // may end the goroutine by FailNow
		}()
		<-done
		fmt.Println(rule + ":")
		fmt.Println(found.texts[0])
	}
	// Output:
	// a write on condition of another version changes nothing:
	// replace "p"/"1" = 204; want 412 UpdateConditionNotSatisfied
}
