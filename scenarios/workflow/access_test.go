package workflow_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
	"loadgen/scenarios/workflow"
)

// readBy returns a read of a user, who lacks what the keeper says.
func (w *world) readBy(kind string, k uint64, given args, lacking workflow.Lacking, about thing) workflow.Workflow {
	one := workflow.Find(kind)
	return one.New(&workflow.Call{Setting: w.Setting, Arguments: settled(one, given), K: k, Subject: about, Fresh: about, Lacking: lacking})
}

// A read by a signature is one request, two where the user has none, and a third where the
// browser asks for leave; through a proxy it is two, and the proxy carries the answer twice.
func TestReadsByUsers(t *testing.T) {
	w := newWorld(t)
	mine := order(1)
	w.load(mine)
	size := int64(len(w.stored(mine)))
	const signature, leave = workflow.Lacking(1), workflow.Lacking(2)
	for _, row := range []struct {
		name, kind         string
		lacking            workflow.Lacking
		requests           string
		issued, preflights int64
		carries            func(int64) bool
	}{
		{"with a signature", "direct-read", 0, "map[get:20]", 0, 0, func(n int64) bool { return n == 0 }},
		{"without one", "direct-read", signature, "map[ask:20 get:20]", 20, 0, func(n int64) bool { return n > 20*100 && n < 20*300 }},
		{"in a browser, with one", "direct-read", leave, "map[ask:20 get:20]", 0, 20, func(n int64) bool { return n == 0 }},
		{"in a browser, without one", "direct-read", signature | leave, "map[ask:40 get:20]", 20, 20, func(n int64) bool { return n > 20*100 && n < 20*300 }},
		{"through a proxy", "proxied-read", 0, "map[ask:20 get:20]", 0, 0, func(n int64) bool { return n == 2*20*size }},
	} {
		clear(w.requests)
		var all []workflow.Workflow
		for k := range 20 {
			p := w.readBy(row.kind, uint64(k), nil, row.lacking, mine)
			all = append(all, p)
			foreseen, before := len(workflow.Requests(p)), w.number
			assert.True(t, w.run(p), row.name)
			assert.EqualValues(t, foreseen, w.number-before, row.name)
		}
		issued, preflights, carried := total(all, "issued"), total(all, "preflights"), total(all, "carried")
		assert.Equal(t, row.requests, fmt.Sprint(w.requests), row.name)
		assert.Equal(t, [2]int64{row.issued, row.preflights}, [2]int64{issued, preflights}, row.name)
		assert.Truef(t, row.carries(carried), "%s: %d bytes", row.name, carried)
	}
}

// A signature is asked for before leave, for the time and by as many at once as is said.
func TestServicesAreAskedAsToldTo(t *testing.T) {
	w := newWorld(t)
	asked := workflow.Requests(w.readBy("direct-read", 0, args{"issue-time": "70ms", "issuers": "3"}, 3, order(1)))
	asked = append(asked, workflow.Requests(w.readBy("proxied-read", 0, args{"proxy-time": "9ms", "connections": "2"}, 0, order(1)))...)
	var got []string
	for _, op := range asked {
		if b := op.Beside; b != nil {
			got = append(got, fmt.Sprint(b.Store, " ", b.Takes, " ", b.AtOnce))
		} else {
			got = append(got, op.Verb.String())
		}
	}
	assert.Equal(t, []string{"test-broker 70ms 3", "test-preflight 5ms 0", "get", "get", "test-proxy 9ms 2"}, got)
}

// What is kept is the user's, and opens what it covers.
func TestWhatUsersKeep(t *testing.T) {
	about := func(user, partition, row string) thing {
		return thing{keys: map[string]entity.Key{"": {Partition: partition, Row: row}}, values: args{"reader": user}}
	}
	base := about("ann", "p", "r")
	for _, row := range []struct {
		name  string
		given args
		other thing
		// signature and leave say whether the other read shares them.
		signature, leave bool
	}{
		{"the same read", nil, about("ann", "p", "r"), true, true},
		{"another entity of the partition", nil, about("ann", "p", "s"), true, false},
		{"another partition", nil, about("ann", "q", "r"), false, false},
		{"another reader, who is told by the partition", nil, about("bob", "p", "r"), true, true},
		{"another reader, who is told by an attribute", args{"user": "reader"}, about("bob", "p", "r"), false, false},
		{"another partition of the reader", args{"user": "reader"}, about("ann", "q", "r"), false, false},
		{"another entity, of a signature for one", args{"covers": "entity"}, about("ann", "p", "s"), false, false},
		{"the same entity, of a signature for one", args{"covers": "entity"}, about("ann", "p", "r"), true, true},
	} {
		kind := workflow.Find("direct-read")
		a := kind.Settle(row.given)
		plain := kind.Keeps(base, a)
		assert.Truef(t, len(plain) == 1 && plain[0].For == time.Hour, "%s: without a browser a read keeps %+v; want a signature for an hour", row.name, plain)
		a["preflight"], a["lasts"] = "10m", "15m"
		one, other := kind.Keeps(base, a), kind.Keeps(row.other, a)
		require.Truef(t, len(one) == 2 && one[0].For == 15*time.Minute && one[1].For == 10*time.Minute && one[0].Of != one[1].Of,
			"%s: in a browser a read keeps %+v; want a signature, and leave", row.name, one)
		assert.Equalf(t, row.signature, one[0].Of == other[0].Of, "%s: signature %q and %q", row.name, one[0].Of, other[0].Of)
		assert.Equalf(t, row.leave, one[1].Of == other[1].Of, "%s: leave %q and %q", row.name, one[1].Of, other[1].Of)
	}
}

// What is carried is a signature that the service's own check finds genuine, and that
// opens the user's keys alone.
func TestSignaturesAreOfTheUsersKeys(t *testing.T) {
	secret, err := wire.NewSecret(base64.StdEncoding.EncodeToString([]byte("the key of nobody's account")))
	require.NoError(t, err)
	w := newWorld(t)
	user := order(1)
	user.keys[""] = entity.Key{Partition: "user & co", Row: "1+1"}
	for _, covers := range []string{"partition", "entity"} {
		p := w.readBy("direct-read", 0, args{"covers": covers}, 1, user)
		first := p.Begin()
		var a wire.SharedAccess
		values, err := url.ParseQuery(string(first.Beside.Body))
		require.NoError(t, err)
		for name, list := range values {
			known, once := a.Set(name, list[0])
			assert.Truef(t, known && once && len(list) == 1, "%s: option %s=%q", covers, name, list)
		}
		assert.Empty(t, a.Fault(), covers)
		assert.Truef(t, secret.VerifyAccess("account", &a) && a.Permissions == "r", "%s: the signature is not genuine, or not of reading: %+v", covers, a)
		from, to, whole, endless := a.Keys()
		want := entity.Key{Partition: "user & co"}
		if covers == "entity" {
			want.Row = "1+1"
		}
		assert.Truef(t, from == want && to == want && !endless && whole == (covers == "partition"),
			"%s: it opens %v to %v, whole %v, endless %v; want the user's keys", covers, from, to, whole, endless)
		requests := workflow.Requests(p)
		require.Len(t, requests, 2, "the signature's and the user's entity")
		assert.Equal(t, user.Key(""), requests[1].Change.Key)
	}
}
