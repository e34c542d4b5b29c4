package engine_test

import (
	"fmt"
	"testing"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
)

// What is loaded takes nobody's allowance and is in nobody's books.
func TestLoadIsNoRequest(t *testing.T) {
	b := newBench(t, model.Documented)
	before := b.Counts()
	const many = 2500 // more than one partition may take in its burst, and more than a page
	for i := range many {
		c := entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "hot", Row: fmt.Sprintf("%04d", i)}}
		if code, detail := b.Load(0, "one", "Races", &c); code != entity.OK {
			t.Fatalf("Load(%d) = %s %s; want OK", i, code, detail)
		}
	}
	if got := b.Counts(); got != before {
		t.Errorf("Counts() = %+v after loading; want %+v as before", got, before)
	}
	if got := b.Partitions(); got != 0 {
		t.Errorf("Partitions() = %d after loading; want 0", got)
	}
	if got := b.do(0, "one", "Races", entity.Get, "hot", "2499"); got.Code != entity.OK {
		t.Errorf("Get of what was loaded = %d %s; want 200", got.Status, got.Code)
	}
	if got := b.Partitions(); got != 1 {
		t.Errorf("Partitions() = %d after one was asked for something; want 1", got)
	}

	row := 0
	for k := range b.Entities("one", "rACES") {
		if want := fmt.Sprintf("%04d", row); k.Row != want || k.Partition != "hot" {
			t.Fatalf("entity %d = %v; want %s", row, k, want)
		}
		row++
	}
	if row != many {
		t.Errorf("Entities yielded %d; want %d", row, many)
	}
	for range b.Entities("one", "Races") {
		row++
		break
	}
	if row != many+1 {
		t.Errorf("Entities went on after a break")
	}
}

// What is loaded is as old as a request's entity would be that arrived then.
func TestLoadIsDated(t *testing.T) {
	m, err := model.New(model.Off)
	if err != nil {
		t.Fatal(err)
	}
	epoch := entity.EarliestDateTime + 7
	e := engine.New(engine.Options{Model: m, Accounts: []string{"one"}, Calendar: clock.Epoch(epoch.Time())})
	if code, detail := e.LoadTable(0, "one", "Races"); code != entity.OK {
		t.Fatalf("LoadTable = %s %s; want OK", code, detail)
	}
	c := entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "p", Row: "r"}}
	if code, detail := e.Load(second, "one", "Races", &c); code != entity.OK {
		t.Fatalf("Load = %s %s; want OK", code, detail)
	}
	for _, packed := range e.Entities("one", "Races") {
		if got, want := packed.Timestamp(), epoch+10_000_000; got < want || got > want+10 {
			t.Errorf("the timestamp = %d; want %d, or just later", got, want)
		}
	}
}

func TestLoadRefusesWhatARequestCannotDo(t *testing.T) {
	b := newBench(t, model.Off)
	insert := func(row string) *entity.Change {
		return &entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "p", Row: row}}
	}
	rows := []struct {
		name           string
		account, table string
		change         *entity.Change
		want           entity.Code
	}{
		{"an entity", "one", "Races", insert("1"), entity.OK},
		{"the same again", "one", "races", insert("1"), entity.EntityAlreadyExists},
		{"the same in another account", "two", "Races", insert("1"), entity.OK},
		{"a key that cannot be", "one", "Races", insert("a/b"), entity.OutOfRangeInput},
		{"a table that is missing", "one", "Racers", insert("1"), entity.TableNotFound},
		{"an account that is missing", "three", "Races", insert("1"), entity.ResourceNotFound},
	}
	for _, row := range rows {
		if code, detail := b.Load(second, row.account, row.table, row.change); code != row.want || (detail == "") != (code == entity.OK) {
			t.Errorf("%s: Load = %q %q; want %q and why", row.name, code, detail, row.want)
		}
	}
	for _, row := range []struct {
		name, account, table string
		want                 entity.Code
	}{
		{"a new table", "one", "Runners", entity.OK},
		{"a table that is there", "one", "runnerS", entity.OK},
		{"a name that cannot be", "one", "a-b", entity.InvalidResourceName},
		{"a name that is too short", "one", "ab", entity.OutOfRangeInput},
		{"an account that is missing", "three", "Runners", entity.ResourceNotFound},
	} {
		if code, detail := b.LoadTable(second, row.account, row.table); code != row.want || (detail == "") != (code == entity.OK) {
			t.Errorf("%s: LoadTable = %q %q; want %q and why", row.name, code, detail, row.want)
		}
	}
	want := []engine.TableState{{Name: "Races", Entities: 1}, {Name: "Runners"}}
	if got := b.Tables("one"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("Tables = %v; want %v", got, want)
	}
	if got := b.Tables("three"); got != nil {
		t.Errorf("Tables(an account that is missing) = %v; want none", got)
	}
	for k := range b.Entities("three", "Races") {
		t.Errorf("an account that is missing yields %v", k)
	}
	for k := range b.Entities("one", "Racers") {
		t.Errorf("a table that is missing yields %v", k)
	}
}
