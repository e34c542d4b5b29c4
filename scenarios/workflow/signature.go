package workflow

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow/machine"
	"loadgen/target"
)

// signatureKinds returns the workflows of users who read entities of their own: by a
// shared access signature of their keys, or through a proxy that has the account's key.
func signatureKinds() []machine.Kind {
	counters := []string{"issued", "carried"}
	stores := func(machine.Arguments) []machine.Store { return []machine.Store{{Name: brokerStore}} }
	return []machine.Kind{{
		Name: "direct-read", Says: "Reads an entity by itself, one read in so many after asking the broker for a new signature.",
		Reads: true, Counters: counters, Stores: stores,
		Parameters: []machine.Parameter{{Name: "every", Says: "How many reads a signature lasts for, on average.", Type: machine.OfCount, Least: 1, Most: 1_000_000, Default: "20"},
			{Name: "covers", Says: "What a signature opens: the user's partition, or one entity of it.",
				Type: machine.OfChoice, Choices: []string{"partition", "entity"}, Default: "partition"}},
		New: func(c *machine.Call) machine.Workflow { return newDirectRead(c) },
	}, {
		Name: "proxied-read", Says: "Reads an entity through a proxy, which asks the table and carries the answer.",
		Reads: true, Counters: counters, Stores: stores,
		New: func(c *machine.Call) machine.Workflow { return newProxiedRead(c) },
	}}
}

// brokerStore is the container whose requests stand for those to the broker, or to the
// proxy: neither is there, and what counts is that there is one request more, what it
// carries, and about how long it takes.
const brokerStore = "broker"

// carry returns the request that stands for one to the broker or the proxy, with what it
// answers.
func carry(c *machine.Call, name string, body []byte, then func(a machine.Attempt) machine.Turn) machine.Request {
	return machine.Aside(target.Beside{Verb: target.PutBlob, Store: c.StoreOf(brokerStore), Name: name, Body: body}, target.Expected{}, then)
}

// newDirectRead returns a read by a signature, which has to be asked for first where the
// one that the user has is over. Which user has one is not followed: chance decides which
// reads find it over, one in so many.
func newDirectRead(c *machine.Call) *machine.Script {
	key, draw := c.Subject.Key(""), c.Chance
	asks := draw.IntN(c.Arguments.Count("every")) == 0
	return machine.NewScript(func(s *machine.Script) machine.Request {
		read := machine.Read(c.Table, key, nil)
		if !asks {
			return read
		}
		token := []byte(signatureOf(c.Table, key, c.Arguments.Text("covers")))
		issue := carry(c, "signature", token, func(a machine.Attempt) machine.Turn {
			s.Add("issued", 1)
			s.Add("carried", int64(len(a.Sent.Beside.Body)))
			return machine.Send(read)
		})
		s.Foresee(issue.Operation, read.Operation)
		return issue
	})
}

// newProxiedRead returns a read that a proxy carries out, and whose answer it carries.
func newProxiedRead(c *machine.Call) *machine.Script {
	key := c.Subject.Key("")
	return machine.NewScript(func(s *machine.Script) machine.Request {
		read := machine.Read(c.Table, key, func(a machine.Attempt) machine.Turn {
			return machine.Send(carry(c, "answer", a.Outcome.Entity, func(a machine.Attempt) machine.Turn {
				return s.EndWith("carried", int64(len(a.Sent.Beside.Body)))
			}))
		})
		s.Foresee(read.Operation, carry(c, "answer", nil, nil).Operation)
		return read
	})
}

// signatureOf returns a shared access signature that reads a user's keys for a while, in
// the service's form. The account and its key are made up: no service takes it.
func signatureOf(table string, key entity.Key, covers string) string {
	const version, permissions, expiry, protocol = "2019-02-02", "r", "2030-01-01T00:00:00Z", "https"
	row := ""
	if covers == "entity" {
		row = key.Row
	}
	resource := "/table/account/" + strings.ToLower(table)
	sum := hmac.New(sha256.New, []byte("the key of nobody's account"))
	sum.Write([]byte(strings.Join([]string{permissions, "", expiry, resource, "", "", protocol, version,
		key.Partition, row, key.Partition, row}, "\n")))
	v := url.Values{"sv": {version}, "sp": {permissions}, "se": {expiry}, "spr": {protocol}, "tn": {table},
		"spk": {key.Partition}, "epk": {key.Partition}, "sig": {base64.StdEncoding.EncodeToString(sum.Sum(nil))}}
	if row != "" {
		v["srk"], v["erk"] = []string{row}, []string{row}
	}
	return v.Encode()
}
