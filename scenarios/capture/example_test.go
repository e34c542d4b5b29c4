package capture_test

import (
	"fmt"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/rest"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios/capture"
)

// An application sends 40 inserts a second to one partition, of which the server
// carries out 30 and refuses the rest.
func Example() {
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, results.Manifest{Target: results.Embedded, Profile: "documented",
		Targets: results.Targets{Partition: 30, Account: 20_000}, Operations: capture.Kinds()})
	if err != nil {
		fmt.Println(err)
		return
	}
	observer, err := capture.New(capture.Options{Recorder: recorder})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 320 {
		arrived := clock.Instant(0).Add(time.Duration(i) * 25 * time.Millisecond)
		r := rest.Seen{Arrived: arrived, Done: arrived.Add(4 * time.Millisecond), Verb: entity.Insert, Inserts: true,
			Table: "races", PartitionKey: "full", HasPartition: true, RowKey: fmt.Sprintf("%04d", i), Status: 204, Counted: 1}
		if i%40 >= 30 {
			r.Status, r.Code, r.Counted = 503, entity.ServerBusy, 0
		}
		observer.Saw(&r)
	}
	if err := observer.End(); err != nil {
		fmt.Println(err)
	}
	if err := recorder.Finish(8*time.Second, results.Valid, nil, nil); err != nil {
		fmt.Println(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		fmt.Println(err)
		return
	}

	hot := record.Capture.Partitions[0]
	fmt.Println(hot.Table, hot.PartitionKey, hot.Entities, hot.Throttled, *hot.Saturation, verdict.Books(record))
	fmt.Println(verdict.Judge(record).Verdict)
	// Output:
	// races full 240 80 30 []
	// The partition "full" of the table "races", the hottest of the traffic, saturates at 30 entities/s (30 to 30 in single seconds), against the model's 30/s, not Azure's documented 2,000/s; 25.0 % of its attempts were throttled, and its busiest second was asked for 40 entities. A peak like that second, 40 entities/s, needs keys that spread it over at least 2 partitions. Seen from the server, this cannot tell what the application waited for beside it, nor how the real service balances its partitions and what it grants beyond its targets: limits and times are modelled.
}
