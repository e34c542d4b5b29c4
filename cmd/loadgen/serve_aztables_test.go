package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"

	"loadgen/report/verdict"
)

// A program written with the vendor's own client, deliberately hot and
// deliberately scanning, gets a verdict that names its partition and its query,
// with counts equal to its own.
func TestExamineJudgesAProgramOfAnotherMake(t *testing.T) {
	t.Chdir(t.TempDir())
	s := openShop(t, "", "--examine", "--profile", "off", "--set", "model.partition_target=50")
	once := &aztables.ClientOptions{ClientOptions: azcore.ClientOptions{Retry: policy.RetryOptions{MaxRetries: -1}}}
	service, err := aztables.NewServiceClientFromConnectionString(strings.TrimSpace(s.ready), once)
	if err != nil {
		t.Fatal(err)
	}
	const hot = "2011 New York City Marathon__Full"
	runners := service.NewClient("Runners")
	var requests, entities, refused int64
	create := func(table string) {
		if _, err := service.CreateTable(t.Context(), table, nil); err != nil {
			t.Fatal(err)
		}
		requests++
	}
	// add inserts an entity and reports whether it was refused.
	add := func(into *aztables.Client, partition, row string, paid bool) bool {
		text, err := json.Marshal(map[string]any{"PartitionKey": partition, "RowKey": row, "Paid": paid})
		if err != nil {
			t.Fatal(err)
		}
		_, err = into.AddEntity(t.Context(), text, nil)
		requests++
		var failure *azcore.ResponseError
		switch {
		case err == nil:
			entities++
			return false
		case errors.As(err, &failure) && failure.StatusCode == 503 && failure.ErrorCode == "ServerBusy":
			refused++
			return true
		}
		t.Fatal(err)
		return false
	}
	create("Races")
	create("Runners")
	for i := range 200 {
		// Each runner has a partition to himself, which is never busy.
		add(runners, fmt.Sprintf("%03d", i), "r", i%100 == 0)
	}
	if refused > 0 {
		t.Fatalf("%d inserts of cold partitions were refused", refused)
	}
	races := service.NewClient("Races")
	var ok int64
	for i := range 200 {
		if !add(races, hot, fmt.Sprintf("%04d", i), true) {
			ok++
		}
	}
	var returned int64
	const queries = 5
	for range queries {
		filter := "Paid eq true"
		for pages := runners.NewListEntitiesPager(&aztables.ListEntitiesOptions{Filter: &filter}); pages.More(); {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			requests++
			entities += 200
			returned += int64(len(page.Entities))
		}
	}
	if refused == 0 || returned != queries*2 {
		t.Fatalf("the program had %d refused and %d returned; it is neither hot nor scanning", refused, returned)
	}
	if code := s.stop(); code != codeOk {
		t.Fatalf("serve --examine = %d; want 0: %s", code, &s.stderr)
	}

	record := read(t, leftIn(t, "results/runs")[0])
	o := record.Observation
	if faults := verdict.Books(record); len(faults) > 0 {
		t.Errorf("Books = %q; want them closed", faults)
	}
	if o.Requests != requests || o.Entities != entities || o.RefusedByPartition != refused {
		t.Errorf("observed %d requests, %d entities, %d refused; the program made %d, %d, %d",
			o.Requests, o.Entities, o.RefusedByPartition, requests, entities, refused)
	}
	if p := o.Partitions[0]; p.PartitionKey != hot || p.Table != "Races" || p.Entities != ok || p.Refused != refused {
		t.Errorf("the hottest partition = %+v; want %q with %d entities and %d refused", p, hot, ok, refused)
	}
	if q := o.Shapes[0]; q.Table != "Runners" || q.Requests != queries || q.Scanned != queries*200 || q.Returned != returned {
		t.Errorf("the query that scanned most = %+v; want %d requests, %d scanned, %d returned", q, queries, queries*200, returned)
	}
	said := strings.Join(strings.Fields(s.stdout.String()), " ")
	for _, want := range []string{fmt.Sprintf("The partition %q of the table \"Races\"", hot), "Paid eq ?", "a density of 1.0 %"} {
		if !strings.Contains(said, want) {
			t.Errorf("the report does not say %q:\n%s", want, &s.stdout)
		}
	}
}
