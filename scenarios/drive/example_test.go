package drive_test

import (
	"context"
	"fmt"
	"time"

	"loadgen/engine"
	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// Everybody signs up for one race, and all of them go to one partition, which
// holds 2,000 entities a second: below that nothing is lost, and at twice as
// much, half of it. That is told from the last half of each day, when the burst
// of a tenth of a second is spent. Nobody tries again here: the stages have no
// retry policy.
func Example() {
	documented, err := model.New(model.Documented)
	if err != nil {
		panic(err)
	}
	service := engine.New(engine.Options{Model: documented, Accounts: []string{"races"}, Seed: 1})
	runner := &drive.Virtual{Target: target.NewInProcess(service, "races", nil)}

	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{
		Operations: []results.Kind{{Name: "create"}, {Name: "register", Group: "PUT"}}})
	if err != nil {
		panic(err)
	}
	ledger := &drive.Ledger{Recorder: recorder}
	for _, stage := range []*drive.Stage{openForRegistration(), rush()} {
		if err := runner.Run(context.Background(), stage, ledger); err != nil {
			panic(err)
		}
	}
	if err := recorder.Finish(runner.Now().Offset(), results.Valid, nil, nil); err != nil {
		panic(err)
	}

	record, err := results.Read(folder)
	if err != nil {
		panic(err)
	}
	for _, phase := range record.Phases[1:] {
		share := phase.Kinds[1].LastHalf
		half := phase.Seconds() / 2
		fmt.Printf("%s: %.0f due a second, %.0f served, %.0f %% lost\n", phase.Name,
			float64(share.Offered)/half, float64(share.Served)/half, 100-100*float64(share.Served)/float64(share.Offered))
	}
	all := record.Total(results.Everything)
	fmt.Println("requests sent and seen:", all.Attempts, service.Counts().Requests)
	fmt.Println("entities counted and seen:", all.Counted, service.Counts().Entities)
	// Output:
	// a usual day: 1000 due a second, 1000 served, 0 % lost
	// the last day: 4000 due a second, 2000 served, 50 % lost
	// requests sent and seen: 25001 25001
	// entities counted and seen: 15199 15199
}

// openForRegistration creates the table: a closed loop of a single operation.
func openForRegistration() *drive.Stage {
	return &drive.Stage{
		Name: "create", Lanes: 1, Count: 1, Limit: time.Minute,
		Phases: []results.Phase{{Name: "create"}},
		Build: func(_ uint64, w *drive.Work) {
			w.Operation = target.Operation{Verb: entity.CreateTable, Table: "Registrations"}
		},
	}
}

// rush is an open loop of two steps: half of what the partition holds, then
// twice as much.
func rush() *drive.Stage {
	const day = 5 * time.Second
	rates, err := arrival.NewSteps(arrival.Step{Rate: 1000, Length: day}, arrival.Step{Rate: 4000, Length: day})
	if err != nil {
		panic(err)
	}
	return &drive.Stage{
		Name: "rush", First: 1, Schedule: rates, WholeSecond: true, Grace: time.Second,
		Phases: []results.Phase{
			{Name: "a usual day", Begin: 0, End: day, Rate: 1000, Reported: true},
			{Name: "the last day", Begin: day, End: 2 * day, Rate: 4000, Reported: true},
		},
		Build: func(k uint64, w *drive.Work) {
			w.Kind = 1
			w.Operation = target.Operation{Verb: entity.Insert, Table: "Registrations"}
			w.Operation.Change = entity.Change{Verb: entity.Insert, Key: entity.Key{
				Partition: "2011 New York City Marathon__Full", Row: fmt.Sprintf("%06d", k)}}
		},
	}
}
