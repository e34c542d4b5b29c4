package workflow

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"
	"time"

	"loadgen/engine/entity"
	"loadgen/target"
)

// The stand-ins: the application's broker and proxy, and the table service's preflight, which
// needs a CORS rule of the account.
const (
	broker    = "broker"
	proxy     = "proxy"
	preflight = "preflight"
)

// preflightTakes is how long a preflight is taken to wait for its answer: about as long as
// a read of one entity does.
const preflightTakes = 5 * time.Millisecond

// ownServices returns what the stores of a kind are that uses services of the application's own.
func ownServices(names ...string) func(Arguments) []Store {
	return func(Arguments) (list []Store) {
		for _, name := range names {
			list = append(list, Store{Name: name, Own: true})
		}
		return list
	}
}

// accessCounters are what reads of one's own entities count.
var accessCounters = []string{"issued", "preflights", "carried"}

// accessKinds are the workflows of users who read entities of their own: by a shared access
// signature of their keys, or through a proxy that has the account's key.
var accessKinds = []Kind{{
	Name: "direct-read", Says: "Reads an entity with a signature; asks a broker for one when needed.",
	Reads: true, Counters: accessCounters, Stores: ownServices(broker, preflight),
	Parameters: []Parameter{
		optional("user", "The attribute that names the user; default: the PartitionKey.", OfAttribute),
		choice("covers", "What a signature grants: the user's partition, or one entity.", "partition", "entity"),
		{Name: "lasts", Was: "every", Says: "How long a signature is valid.",
			Type: OfDuration, Least: int64(time.Millisecond), Most: int64(7 * 24 * time.Hour), Default: "1h"},
		duration("issue-time", "The broker's time per signature.", 0, time.Minute, "5ms"),
		count("issuers", "Maximum signatures issued at once; 0: no limit.", 0, target.MostAtOnce, "0"),
		duration("preflight", "How long a CORS preflight is cached; 0s: no browser.", 0, 24*time.Hour, "0s"),
	},
	// It needs a signature and, in a browser, a preflight for its URL, which contains the
	// signature.
	Keeps: func(s Subject, a Arguments) []Keeping {
		key := s.Key("")
		parts := []string{broker, a.Text("covers"), "", key.Partition, ""}
		if user := a.Text("user"); user != "" {
			parts[2] = s.Value(user)
		}
		if a.Text("covers") == "entity" {
			parts[4] = key.Row
		}
		list := []Keeping{{Of: called(parts...), For: a.Duration("lasts")}}
		if keeps := a.Duration("preflight"); keeps > 0 {
			list = append(list, Keeping{Of: called(preflight, list[0].Of, key.Row), For: keeps})
		}
		return list
	},
	// A signature has to be asked for first where the user has none that is good, and then, in a
	// browser, the leave of the service.
	New: func(c *Call) Workflow {
		key, a := c.Subject.Key(""), c.Arguments
		ask := func(b target.Beside) Request {
			b.Verb, b.Store = target.Ask, c.StoreOf(b.Store)
			return Beside(b)
		}
		var requests []Request
		if c.Lacking.Has(0) {
			token := []byte(signatureOf(c.Table, key, a.Text("covers")))
			requests = append(requests, ask(target.Beside{Store: broker, Body: token, Takes: a.Duration("issue-time"), AtOnce: a.Count("issuers")}))
		}
		if c.Lacking.Has(1) {
			requests = append(requests, ask(target.Beside{Store: preflight, Takes: preflightTakes}))
		}
		requests = append(requests, Read(c.Table, key))
		return NewProcedure(func(t *Tx) {
			for _, one := range requests {
				t.Send(one)
				switch asked := one.Operation.Beside; {
				case asked == nil:
				case asked.Body == nil:
					t.Add("preflights", 1)
				default:
					t.Add("issued", 1)
					t.Add("carried", int64(len(asked.Body)))
				}
			}
		}, requests...)
	},
}, {
	Name: "proxied-read", Says: "Reads an entity through a proxy.",
	Reads: true, Counters: accessCounters, Stores: ownServices(proxy),
	Parameters: []Parameter{
		duration("proxy-time", "The proxy's time per answer.", 0, time.Minute, "5ms"),
		count("connections", "Maximum answers carried at once; 0: no limit.", 0, target.MostAtOnce, "0"),
	},
	// The answer passes the proxy twice: in from the table, and out to the user.
	New: func(c *Call) Workflow {
		key, a := c.Subject.Key(""), c.Arguments
		carry := func(answer []byte) Request {
			return Beside(target.Beside{Verb: target.Ask, Store: c.StoreOf(proxy), Body: answer, Takes: a.Duration("proxy-time"), AtOnce: a.Count("connections")})
		}
		read := Read(c.Table, key)
		return NewProcedure(func(t *Tx) {
			answer := t.Send(read).Entity
			t.Send(carry(answer))
			t.Add("carried", 2*int64(len(answer)))
		}, read, carry(nil))
	},
}}

// called joins texts so that no others give the same: no key has the character between.
func called(parts ...string) string { return strings.Join(parts, "\x00") }

// signatureOf returns a shared access signature that reads a user's keys for a while, in
// the service's form. The account and its key are made up: no service takes it.
func signatureOf(table string, key entity.Key, covers string) string {
	const version, permissions, expiry, protocol = "2019-02-02", "r", "2030-01-01T00:00:00Z", "https"
	row := ""
	if covers == "entity" {
		row = key.Row
	}
	resource := "/table/account/" + strings.ToLower(table)
	sum := hmac.New(sha256.New, []byte("an unused account key"))
	sum.Write([]byte(strings.Join([]string{permissions, "", expiry, resource, "", "", protocol, version,
		key.Partition, row, key.Partition, row}, "\n")))
	v := url.Values{"sv": {version}, "sp": {permissions}, "se": {expiry}, "spr": {protocol}, "tn": {table},
		"spk": {key.Partition}, "epk": {key.Partition}, "sig": {base64.StdEncoding.EncodeToString(sum.Sum(nil))}}
	if row != "" {
		v["srk"], v["erk"] = []string{row}, []string{row}
	}
	return v.Encode()
}
