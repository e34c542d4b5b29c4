package main

import (
	"encoding/json"
	"net/http"

	"loadgen/engine"
)

// The paths that are answered on the address of --admin.
const (
	healthPath = "/-/healthz"
	statePath  = "/-/state"
)

// state is what /-/state says: a contract for scripts. Units are in the names.
type state struct {
	Account         string  `json:"account"`
	Profile         string  `json:"profile"`
	Seed            uint64  `json:"seed"`
	UptimeSeconds   float64 `json:"uptime_seconds"`
	Draining        bool    `json:"draining"`
	UnderWay        int64   `json:"requests_under_way"`
	Requests        tallied `json:"requests"`
	EntitiesCounted int64   `json:"entities_counted"`
	// PartitionsKnown are those that the model remembers something of: idle ones
	// are forgotten.
	PartitionsKnown int `json:"partitions_known"`
	// Tables are sorted by name.
	Tables []tableState `json:"tables"`
}

// tallied are requests by their fate: Total is the sum of the others.
type tallied struct {
	Total   int64 `json:"total"`
	Ok      int64 `json:"ok"`
	Refused int64 `json:"refused"`
	Failed  int64 `json:"failed"`
}

type tableState struct {
	Name     string `json:"name"`
	Entities int64  `json:"entities"`
}

// adminHandler answers those who look after the service. It changes nothing.
func (s *serving) adminHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		switch {
		case r.Method == http.MethodGet && r.URL.Path == healthPath && s.draining.Load():
			// Whoever distributes requests is to send no more.
			http.Error(w, "draining", http.StatusServiceUnavailable)
		case r.Method == http.MethodGet && r.URL.Path == healthPath:
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = w.Write([]byte("ok\n")) // its error is that the sender is gone
		case r.Method == http.MethodGet && r.URL.Path == statePath:
			w.Header().Set("Content-Type", "application/json")
			out := json.NewEncoder(w)
			out.SetIndent("", "  ")
			_ = out.Encode(s.state())
		default:
			http.Error(w, "there is GET "+healthPath+" and GET "+statePath, http.StatusNotFound)
		}
	})
}

// state takes stock of the service.
func (s *serving) state() *state {
	counts := s.handler.Counts()
	tables := []tableState{}
	for _, t := range s.engine.Tables(s.door.account) {
		tables = append(tables, tableState(t))
	}
	return &state{
		Account: s.door.account, Profile: s.model.Profile, Seed: s.flags.seed,
		UptimeSeconds: s.clock.Now().Offset().Seconds(),
		Draining:      s.draining.Load(), UnderWay: s.flights.under.Load(),
		Requests: talliedOf(counts), EntitiesCounted: counts.Entities,
		PartitionsKnown: s.engine.Partitions(), Tables: tables,
	}
}

func talliedOf(c engine.Counts) tallied { return tallied{c.Requests, c.Ok, c.Refused, c.Failed} }
