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

// preflightTime is the assumed time of a preflight: about that of a read of one entity.
const preflightTime = 5 * time.Millisecond

// ownServices returns the stores of a kind that uses services of the application.
func ownServices(names ...string) func(Arguments) []Store {
	return func(Arguments) (list []Store) {
		for _, name := range names {
			list = append(list, Store{Name: name, Own: true})
		}
		return list
	}
}

// accessCounters are the counters of reads by users.
var accessCounters = []string{"issued", "preflights", "carried"}

// accessKinds are the workflows of users who read their own entities: by a shared access signature
// for their keys, or through a proxy that has the account's key.
var accessKinds = []Kind{{
	Name: "direct-read", Says: "Reads an entity with a signature; asks a broker for one when needed.",
	Reads: true, Counters: accessCounters, Stores: ownServices(broker, preflight),
	Parameters: []Parameter{
		optional("user", "The attribute that names the user; default: the PartitionKey.", OfAttribute),
		choice("covers", "What a signature grants: the user's partition, or one entity.", "partition", "entity"),
		{Name: "lasts", Was: "every", Says: "How long a signature is valid.",
			Type: OfDuration, Least: int64(time.Millisecond), Most: int64(7 * 24 * time.Hour), Default: "1h"},
		duration("issue-time", "The broker's time per signature.", 0, time.Minute, "5ms"),
		count("issuers", "Maximum signatures issued at once; 0: no limit.", 0, target.MaxAtOnce, "0"),
		duration("preflight", "How long a CORS preflight is cached; 0s: no browser.", 0, 24*time.Hour, "0s"),
	},
	// It needs a signature and, in a browser, a preflight for its URL, which contains the
	// signature.
	Keeps: func(s Subject, a Arguments) []Keeping {
		key, covers, user, row := s.Key(""), a.Text("covers"), "", ""
		if a.Text("user") != "" {
			user = s.Value(a.Text("user"))
		}
		if covers == "entity" {
			row = key.Row
		}
		list := []Keeping{{Of: cacheKey(broker, covers, user, key.Partition, row), For: a.Duration("lasts")}}
		if lifetime := a.Duration("preflight"); lifetime > 0 {
			list = append(list, Keeping{Of: cacheKey(preflight, list[0].Of, key.Row), For: lifetime})
		}
		return list
	},
	New: func(c *Call) *Procedure {
		key, a := c.Subject.Key(""), c.Arguments
		var requests []Request
		if c.Lacking.Has(0) {
			signature := []byte(signatureOf(c.Table, key, a.Text("covers")))
			requests = append(requests, c.requestTo(target.Beside{Store: broker, Body: signature, Takes: a.Duration("issue-time"), AtOnce: a.Count("issuers")}))
		}
		if c.Lacking.Has(1) {
			requests = append(requests, c.requestTo(target.Beside{Store: preflight, Takes: preflightTime}))
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
		count("connections", "Maximum answers carried at once; 0: no limit.", 0, target.MaxAtOnce, "0"),
	},
	// The answer passes the proxy twice: in from the table, and out to the user.
	New: func(c *Call) *Procedure {
		carry := func(answer []byte) Request {
			return c.requestTo(target.Beside{Store: proxy, Body: answer, Takes: c.Arguments.Duration("proxy-time"), AtOnce: c.Arguments.Count("connections")})
		}
		read := Read(c.Table, c.Subject.Key(""))
		return NewProcedure(func(t *Tx) {
			answer := t.Send(read).Entity
			t.Send(carry(answer))
			t.Add("carried", 2*int64(len(answer)))
		}, read, carry(nil))
	},
}}

// requestTo returns a request to a service of the application.
func (c *Call) requestTo(b target.Beside) Request {
	b.Verb, b.Store = target.Ask, c.StoreOf(b.Store)
	return NewBesideRequest(b)
}

// cacheKey joins texts without ambiguity: no key contains the separator.
func cacheKey(parts ...string) string { return strings.Join(parts, "\x00") }

// signatureOf returns a shared access signature that permits reads of a user's keys, in the service's
// form. The account and its key are invented: no service accepts it.
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
