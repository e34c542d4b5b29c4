package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/rest/serve"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/target"
)

// A program that is hot and scans gets a verdict that names its partition and its
// query, with counts that are its own.
func TestExamineNamesPartitionAndQuery(t *testing.T) {
	t.Chdir(t.TempDir())
	var runners strings.Builder
	for i := range 400 {
		fmt.Fprintf(&runners, `{"Table":"Runners","PartitionKey":"%03d","RowKey":"r","Paid":%v}`+"\n", i, i%100 == 0)
	}
	s := openShop(t, runners.String(), "--import", "-", "--examine", "--verbose", "--profile", "off", "--set", "model.partition_target=50")
	s.enter(s.ready)
	s.Must(entity.CreateTable, "Races", "", "")
	requests, entities, ok, refused := int64(1), int64(0), int64(0), int64(0)
	const hot = "2011 New York City Marathon__Full"
	for i := range 200 {
		got := s.Try(entity.Insert, "Races", hot, fmt.Sprintf("%04d", i))
		requests++
		entities += got.Counted
		switch got.Status {
		case 204:
			ok++
		case 503:
			refused++
		default:
			t.Fatalf("insert %d = %d %s %s", i, got.Status, got.Code, got.Detail)
		}
	}
	var scanned, returned int64
	const queries = 5
	paid, err := target.Filtered("Paid eq true")
	require.NoError(t, err)
	for range queries {
		got := s.Send(&target.Operation{Verb: entity.Query, Table: "Runners", Query: paid})
		requests++
		scanned += got.Counted
		returned += got.Returned
	}
	require.Truef(t, refused != 0 && scanned == queries*400 && returned == queries*4,
		"the program had %d refused, %d scanned, %d returned; it is neither hot nor scanning", refused, scanned, returned)
	if code := s.stop(); code != codeOk {
		t.Fatalf("serve --examine = %d; want 0: %s", code, &s.stderr)
	}

	runs := leftIn(t, "results/runs")
	if len(runs) == 0 || !strings.HasSuffix(runs[0], "-serve") || !strings.Contains(s.stderr.String(), "the run is in "+runs[0]) {
		t.Fatalf("results/runs holds %v, stderr %q; want one run called serve", runs, &s.stderr)
	}
	record := read(t, runs[0])
	o := record.Capture
	if faults := verdict.Books(record); len(faults) > 0 || record.Validity != results.Valid {
		t.Errorf("Books = %q, validity %s; want them closed", faults, record.Validity)
	}
	if got := record.Target; got.Requests != requests || got.Entities != entities+scanned || got.Throttled != refused {
		t.Errorf("the service counted %+v; the program %d requests, %d entities, %d refused", got, requests, entities+scanned, refused)
	}
	if o.Requests != requests || o.Entities != entities+scanned || o.ThrottledByPartition != refused {
		t.Errorf("observed %d requests, %d entities, %d refused; want %d, %d, %d",
			o.Requests, o.Entities, o.ThrottledByPartition, requests, entities+scanned, refused)
	}
	if p := o.Partitions[0]; p.PartitionKey != hot || p.Table != "Races" || p.Entities != ok || p.Throttled != refused || p.Requests != ok+refused {
		t.Errorf("the hottest partition = %+v; want %q with %d entities and %d refused", p, hot, ok, refused)
	}
	if q := o.Shapes[0]; q.Table != "Runners" || q.Requests != queries || q.Scanned != scanned || q.Returned != returned {
		t.Errorf("the query that scanned most = %+v; want %d requests, %d scanned, %d returned", q, queries, scanned, returned)
	}
	said := strings.Join(strings.Fields(s.stdout.String()), " ")
	for _, want := range []string{
		fmt.Sprintf("PartitionKey %q of table Races", hot), fmt.Sprintf("%q on table Runners", o.Shapes[0].Shape),
		"scans 2,000 and returns 20, 100 for each", "the target counted the same",
		"loadgen serve --examine=true --import - --listen=127.0.0.1:0 --profile=off --set model.partition_target=50",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the report does not say %q:\n%s", want, &s.stdout)
		}
	}
	assert.Contains(t, o.Shapes[0].Shape, "Paid eq", "the shape")
	left := strings.Join(leftIn(t, runs[0]), " ")
	for _, name := range []string{"run.json", "latency.png", "report.html"} {
		assert.Contains(t, left, name, "the run's folder holds")
	}
}

// Neither what is said nor what is written holds a part of a key of one's own.
func TestSecretsOfServeAreNowhere(t *testing.T) {
	t.Chdir(t.TempDir())
	folder := t.TempDir()
	keyFile := folder + "/key"
	require.NoError(t, os.WriteFile(keyFile, []byte(planted+"\n"), 0o600))
	s := openShop(t, "", "--account", "races", "--key-file", keyFile, "--examine", "--export", "all.csv")
	if !strings.HasPrefix(s.ready, "DefaultEndpointsProtocol=http;AccountName=races;AccountKey=<the key of "+keyFile+">;TableEndpoint=http://127.0.0.1:") {
		t.Errorf("the first line = %q; want where the key is in place of the key", s.ready)
	}
	s.enter(strings.Replace(s.ready, "<the key of "+keyFile+">", planted, 1))
	s.Must(entity.CreateTable, "Races", "", "")
	s.Must(entity.Insert, "Races", "2011", "1")
	_, now := resttest.Get(t, "GET", s.admin+serve.StatePath)
	_, complaint := resttest.Get(t, "GET", s.ready[strings.Index(s.ready, "http://"):len(s.ready)-1]+"/Tables")
	if code := s.stop(); code != codeOk {
		t.Fatalf("serve = %d; want 0: %s", code, &s.stderr)
	}
	said := map[string]string{"the first line": s.ready, "stdout": s.stdout.String(), "stderr": s.stderr.String(), "the state": now, "an error": complaint}
	addFiles(t, said, ".")
	assert.Truef(t, len(said) >= 10 && len(now) != 0 && len(complaint) != 0, "searched %d texts; want the whole record", len(said))
	withoutKey(t, said)
}

// Of a service with faults the record says by kind, code and key what its clients met, and
// the report that it was injected.
func TestExamineTellsInjectedFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, map[string]string{"f.yaml": "faults:\n  - {kind: refuse, share: 1%, key: hot}\n  - {kind: refuse, code: OperationTimedOut, share: 20%, key_prefix: c}\n"})
	s := openShop(t, "", "--examine", "--verbose", "--profile", "off", "--faults", "f.yaml", "--set", "faults.0.share=30%")
	s.enter(s.ready)
	s.Must(entity.CreateTable, "Races", "", "")
	met := make(map[results.Injected]int64)
	for i := range 300 {
		key := []string{"hot", "cold", "other"}[i%3]
		if got := s.Try(entity.Insert, "Races", key, fmt.Sprintf("%04d", i)); got.Status != 204 {
			met[results.Injected{Kind: "refuse", Status: got.Status, Code: string(got.Code), Key: key}]++
		}
	}
	if code := s.stop(); code != codeOk {
		t.Fatalf("serve --examine = %d; want 0: %s", code, &s.stderr)
	}
	record, sum := read(t, leftIn(t, "results/runs")[0]), int64(0)
	for i := range record.Intervals {
		for _, one := range record.Intervals[i].Injected {
			n := one.Attempts
			one.Attempts = 0
			met[one] -= n
			sum += n
		}
	}
	for one, n := range met {
		assert.EqualValuesf(t, 0, n, "of %+v the client met %d more than the record says", one, n)
	}
	assert.Truef(t, len(met) == 2 && sum >= 20,
		"the client met %d kinds, codes and keys, and the record has %d; want two, and 50 or so", len(met), sum)
	if said := strings.Join(strings.Fields(s.stdout.String()), " "); !strings.Contains(said, "of the attempts met an injected fault (") ||
		!strings.Contains(said, `Faults were injected (refuse (503 ServerBusy) of 30% at the key hot; refuse (500 OperationTimedOut) of 20% at key prefix c)`) {
		t.Errorf("the report does not tell of the faults:\n%s", &s.stdout)
	}
}
