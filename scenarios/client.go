package scenarios

import (
	"loadgen/engine/wire"
	"loadgen/target"
)

// Client says how clients send their requests.
type Client struct {
	_ struct{} `object:"a client"`
	// Wire is how they use the protocol, nil for minimal metadata, TCP_NODELAY and no compression.
	Wire *ClientWire `yaml:"wire" says:"JSON metadata, Nagle's algorithm and compression."`
	// Parallel bounds the requests under way, nil for no bounds but the workers.
	Parallel *ClientParallel `yaml:"parallel" says:"Bounds of the requests in flight."`
}

// ClientParallel bounds the requests in flight; 0 is no bound.
type ClientParallel struct {
	_ struct{} `object:"bounds of a client"`
	// Account and Partition bound the requests to one account, and to one partition of it.
	Account   int `yaml:"account,omitempty" says:"Maximum requests in flight to one account." range:"1..100000"`
	Partition int `yaml:"partition,omitempty" says:"Maximum requests in flight to one partition." range:"1..100000"`
}

// Parallel returns the bounds of the requests in flight.
func (s *Scenario) Parallel() target.Parallel {
	if s.Client == nil || s.Client.Parallel == nil {
		return target.Parallel{}
	}
	return target.Parallel{Account: s.Client.Parallel.Account, Partition: s.Client.Parallel.Partition}
}

// ClientWire is how clients use the protocol.
type ClientWire struct {
	_ struct{} `object:"the wire of a client"`
	// JSON is the metadata of replies: none, minimal or full.
	JSON string `yaml:"json,default=minimal" says:"Metadata of JSON replies." choice:"none,minimal,full"`
	// Nagle sends the head and the body of a request separately with Nagle's algorithm on: the body
	// waits for the acknowledgement of the head.
	Nagle string `yaml:"nagle,default=off" says:"Nagle's algorithm, with head and body sent apart." choice:"off,on"`
	// Gzip has long String properties compressed and stored as Binary.
	Gzip bool `yaml:"gzip,omitempty" says:"Whether clients store texts compressed, as Binary."`
}

// Wire returns how the scenario's clients use the protocol; requests and replies are weighed
// where the scenario says anything about it.
func (s *Scenario) Wire() target.Wire {
	if s.Client == nil || s.Client.Wire == nil {
		return target.Wire{}
	}
	w := s.Client.Wire
	level := map[string]wire.Level{"none": wire.NoMetadata, "full": wire.FullMetadata}[w.JSON]
	return target.Wire{Level: level, Nagle: w.Nagle == "on", Gzip: w.Gzip, Weighs: true}
}
