package workflow_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/wire/signing"
	"loadgen/scenarios/workflow/machine"
)

// A read by a signature is one request, and two where the signature is over; through a
// proxy it is two, and the proxy carries the answer.
func TestReadsByUsers(t *testing.T) {
	w := newWorld(t)
	s := w.setting(nil)
	mine := order(1)
	w.write(entity.Insert, mine.Key(""), mine.Properties())
	size := int64(len(w.stored(mine.Key(""))))
	read := func(kind string, count int, given map[string]string) (requests string, counters map[string]int64) {
		clear(w.requests)
		counters = map[string]int64{}
		for k := range count {
			p := perform(t, s, kind, uint64(k), given, mine)
			if !w.run(p) {
				t.Errorf("%s: read %d did not end well", kind, k)
			}
			for name, count := range counted(p) {
				counters[name] += count
			}
		}
		return fmt.Sprint(w.requests), counters
	}

	if requests, counters := read("direct-read", 20, map[string]string{"every": "1"}); requests != "map[get:20 put-blob:20]" || counters["issued"] != 20 {
		t.Errorf("signatures for one read each: %s, %v; want 20 of each", requests, counters)
	}
	requests, counters := read("direct-read", 400, map[string]string{"every": "20"})
	if issued := counters["issued"]; issued < 10 || issued > 35 || requests != fmt.Sprintf("map[get:400 put-blob:%d]", issued) {
		t.Errorf("signatures for 20 reads: %s, %v; want about 20 of 400", requests, counters)
	} else if each := counters["carried"] / issued; each < 100 || each > 300 {
		t.Errorf("a signature of %d bytes; want about what one has", each)
	}
	requests, counters = read("proxied-read", 20, nil)
	if requests != "map[get:20 put-blob:20]" || counters["issued"] != 0 || counters["carried"] != 20*size {
		t.Errorf("through a proxy: %s, %v; want 20 of each and %d bytes carried", requests, counters, 20*size)
	}
}

// What is carried is a signature that the service's own check finds genuine, and that
// opens the user's keys alone.
func TestSignaturesAreOfTheUsersKeys(t *testing.T) {
	secret, err := signing.NewSecret(base64.StdEncoding.EncodeToString([]byte("the key of nobody's account")))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	s := w.setting(nil)
	user := order(1)
	user.keys[""] = entity.Key{Partition: "user & co", Row: "1+1"}
	for _, covers := range []string{"partition", "entity"} {
		p := perform(t, s, "direct-read", 0, map[string]string{"every": "1", "covers": covers}, user)
		first := p.Begin()
		var a signing.SharedAccess
		values, err := url.ParseQuery(string(first.Beside.Body))
		if err != nil {
			t.Fatal(err)
		}
		for name, list := range values {
			if known, once := a.Set(name, list[0]); !known || !once || len(list) != 1 {
				t.Errorf("%s: option %s=%q is none of a signature", covers, name, list)
			}
		}
		if fault := a.Fault(); fault != "" || !secret.VerifyAccess("account", &a) || a.Permissions != "r" {
			t.Errorf("%s: the signature is not genuine, or not of reading: %q, %+v", covers, fault, a)
		}
		from, to, whole, endless := a.Keys()
		want := entity.Key{Partition: "user & co"}
		if covers == "entity" {
			want.Row = "1+1"
		}
		if from != want || to != want || endless || whole != (covers == "partition") {
			t.Errorf("%s: it opens %v to %v, whole %v, endless %v; want the user's keys", covers, from, to, whole, endless)
		}
		if requests := machine.Requests(p); len(requests) != 2 || requests[1].Change.Key != user.Key("") {
			t.Errorf("%s: %d requests foreseen; want the signature's and the user's entity", covers, len(requests))
		}
	}
}
