package target_test

import (
	"testing"

	"loadgen/engine"
	"loadgen/engine/model"
	"loadgen/target"
)

// What goes beside the table does not belong here: it is answered as a fault of the
// request, counts nothing, and panics nowhere.
func TestRequestBesideTheTableIsNotOurs(t *testing.T) {
	m, err := model.New(model.Documented)
	if err != nil {
		t.Fatal(err)
	}
	to := target.NewInProcess(engine.New(engine.Options{Model: m, Accounts: []string{"a"}}), "a", nil)
	outcome, _ := to.Submit(0, &target.Operation{Beside: &target.Beside{Verb: target.PutMessage, Store: "queue"}})
	if outcome.Status < 400 || outcome.Counted != 0 {
		t.Errorf("Submit = %+v; want a fault, and nothing counted", outcome)
	}
}
