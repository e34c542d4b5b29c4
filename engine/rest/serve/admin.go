package serve

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
)

// The paths of the admin address: readiness, a [State], and with TLS the certificate in PEM.
const (
	HealthPath      = "/-/healthz"
	StatePath       = "/-/state"
	CertificatePath = "/-/certificate"
)

// State is the document at [StatePath], a contract for scripts. Units are in the names.
type State struct {
	Account string `json:"account"`
	// DataDir is the folder of the tables, none for memory.
	DataDir         string   `json:"data_dir,omitempty"`
	Profile         string   `json:"profile"`
	Start           string   `json:"start"`
	Seed            uint64   `json:"seed"`
	UptimeSeconds   float64  `json:"uptime_seconds"`
	Draining        bool     `json:"draining"`
	UnderWay        int64    `json:"requests_under_way"`
	Requests        Requests `json:"requests"`
	EntitiesCounted int64    `json:"entities_counted"`
	// PartitionsKnown is the number of partitions with a state in the model, without idle ones.
	PartitionsKnown int `json:"partitions_known"`
	// Tables are sorted by name.
	Tables []Table `json:"tables"`
	// Ranges are those of all tables after a cold start, by table and first PartitionKey.
	Ranges []Range `json:"ranges,omitempty"`
}

// Range is a stretch of a table's PartitionKeys that one server has. Rates are averages as of
// the last look of load balancing.
type Range struct {
	Table    string `json:"table"`
	FirstKey string `json:"first_partition_key"`
	Server   int    `json:"server"`
	Offline  bool   `json:"offline"`
	Offered  int64  `json:"offered_entities_per_second"`
	Served   int64  `json:"served_entities_per_second"`
}

// Requests are counted by their fate: Total is the sum of the others.
type Requests struct {
	Total     int64 `json:"total"`
	Ok        int64 `json:"ok"`
	Throttled int64 `json:"throttled"`
	Failed    int64 `json:"failed"`
}

// Table is one that the account has, and how many entities are in it.
type Table struct {
	Name     string `json:"name"`
	Entities int64  `json:"entities"`
}

// answerAdmin answers requests to the admin address. It changes nothing.
func (s *Service) answerAdmin(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case r.Method == http.MethodGet && r.URL.Path == HealthPath && s.draining.Load():
		// Load balancers must send no more requests.
		http.Error(w, "draining", http.StatusServiceUnavailable)
	case r.Method == http.MethodGet && r.URL.Path == HealthPath && s.broken() != nil:
		http.Error(w, "the data folder has failed", http.StatusServiceUnavailable)
	case r.Method == http.MethodGet && r.URL.Path == HealthPath:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n")) // its error is that the sender is gone
	case r.Method == http.MethodGet && r.URL.Path == StatePath:
		w.Header().Set("Content-Type", "application/json")
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		_ = out.Encode(s.State())
	case r.Method == http.MethodGet && r.URL.Path == CertificatePath && s.shown != nil:
		w.Header().Set("Content-Type", "application/x-pem-file")
		var text []byte
		for _, one := range s.shown.pair.Certificate {
			text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: one})...)
		}
		_, _ = w.Write(text)
	default:
		http.Error(w, "there is GET "+HealthPath+" and GET "+StatePath, http.StatusNotFound)
	}
}

// State takes stock of the service.
func (s *Service) State() *State {
	c := s.Counts()
	tables := []Table{}
	for _, t := range s.engine.Tables(s.door.account) {
		tables = append(tables, Table(t))
	}
	now := s.engine.Advance(s.options.Clock.Now())
	var list []Range
	for _, r := range s.engine.Map().Ranges {
		_, table := s.engine.TableOf(r.Table)
		list = append(list, Range{Table: table, FirstKey: r.Low, Server: r.Server, Offline: r.Offline > now, Offered: r.Offered, Served: r.Served})
	}
	return &State{
		Account: s.door.account, DataDir: s.options.DataDir, Profile: s.model.Profile, Start: s.options.Start, Seed: s.options.Seed, Ranges: list,
		UptimeSeconds: s.options.Clock.Now().Offset().Seconds(),
		Draining:      s.draining.Load(), UnderWay: s.underWay.Load(),
		Requests: Requests{c.Requests, c.Ok, c.Throttled, c.Failed}, EntitiesCounted: c.Entities,
		PartitionsKnown: s.engine.Partitions(), Tables: tables,
	}
}
