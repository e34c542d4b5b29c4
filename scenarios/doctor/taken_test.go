package doctor

import (
	"math"
	"strings"
	"testing"

	"loadgen/engine/model"
)

// A profile has what the model takes, and says what else was measured.
func TestWhatTheModelDoesNotTakeIsLeftOut(t *testing.T) {
	c := calibration{profile: &Profile{Kind: UnknownProfile, At: "here", Base: model.Documented, Values: []ProfileValue{
		{Name: "time_spread", Value: "3096", Low: "2984", High: "3205", Samples: 2000, By: "x"},
		{Name: "partition_target", Value: "300", Low: "299", High: "301", Samples: 2000, By: "x"}}}}
	c.leaveOut()
	if len(c.profile.Values) != 1 || c.profile.Values[0].Name != "partition_target" || len(c.profile.Unlearnt) != 1 ||
		!strings.Contains(c.profile.Unlearnt[0].Why, "measured as 3096, from 2984 to 3205, which the model does not take") {
		t.Errorf("values %+v, not learnt %+v", c.profile.Values, c.profile.Unlearnt)
	}
}

// A spread beyond the model's is cut to its greatest, and the median stays what it was: what is
// simulated under it has that.
func TestASpreadBeyondTheModelKeepsTheMedian(t *testing.T) {
	s := calibratedService{way: estimate{0.001, 0.001, 0.001, 100}, spread: estimate{mostSpread, mostSpread, 3.2, 100}}
	if s.spread != (estimate{2, 2, 3.2, 100}) {
		t.Errorf("the spread is %+v; want 2, from 2 to 3.2", s.spread)
	}
	mean := s.mean(estimate{0.004, 0.003, 0.005, 100})
	if median := 0.001 + mean.value/math.Sqrt(1+mostSpread*mostSpread); math.Abs(median-0.004) > 1e-12 {
		t.Errorf("the median comes to %v; want 4 ms", median)
	}
}
