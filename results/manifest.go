package results

import "time"

// SchemaVersion is the version of the record's files. A reader refuses any
// other.
const SchemaVersion = 2

// OwnServices is the stand-in of a manifest for services of the application, such as a broker or a proxy, which no
// target has.
const OwnServices = "own services"

// Manifest describes what was run, on what, and how to run it again. It has no secrets.
type Manifest struct {
	Tool    Tool     `json:"tool"`
	Command []string `json:"command"`
	// Labels are what the user said of the run, such as commit.
	Labels   map[string]string `json:"labels,omitempty"`
	Scenario Scenario          `json:"scenario"`
	// Target is [Embedded], [InProcess], or the address of another service.
	Target string `json:"target" merge:"same"`
	// Tables are created in each account of a remote target and dropped at the end of the run; a killed run may leave
	// them.
	Tables []string `json:"tables,omitempty"`
	// Accounts is how many storage accounts the load is sharded over, each with the
	// target of one; 0, like 1, is one.
	Accounts int `json:"accounts,omitempty" merge:"same"`
	// Service is the name of a remote target, empty if it does not report one or is ours. Genuine reports that it is
	// the table service, Emulator that it imitates it, with the limits Targets if LimitsKnown. Neither is set if that
	// is unknown.
	Service     string `json:"service,omitempty" merge:"same"`
	Genuine     bool   `json:"genuine,omitempty" merge:"same"`
	Emulator    bool   `json:"emulator,omitempty" merge:"same"`
	LimitsKnown bool   `json:"limits_known,omitempty" merge:"same"`
	// StandIns are the in-memory replacements of other services that the run used: "queue", "blobs", [OwnServices].
	StandIns []string `json:"stand_ins,omitempty" merge:"same"`
	// Budget is the number of billed transactions that the run may make, 0 for
	// any.
	Budget int64 `json:"budget_transactions,omitempty" merge:"sum"`
	// Start is "warm" or "cold", Profile the partition model's; both are empty
	// for a remote target.
	Start   string `json:"start" merge:"same"`
	Profile string `json:"profile" merge:"same"`
	Seed    uint64 `json:"seed"`
	// Retry names the policy of the measured operations.
	Retry string `json:"retry" merge:"same"`
	// Started is the wall time of the run's instant zero, in UTC.
	Started time.Time `json:"started"`
	// Time is "real" or "virtual".
	Time string `json:"time" merge:"same"`
	// Driver is "vegeta" if that sent the load, empty for this tool's own driver.
	Driver string `json:"driver,omitempty" merge:"same"`
	// Client is the HTTP client for a remote target, "native" or "net/http", and Proxy host and port of the proxy;
	// both are empty otherwise.
	Client string `json:"client,omitempty" merge:"same"`
	Proxy  string `json:"proxy,omitempty"`
	// PartitionKey is the partition that the run is aimed at, empty for none.
	PartitionKey string `json:"partition_key" merge:"same"`
	// Spread is the load on several partitions, nil for none.
	Spread *Spread `json:"spread,omitempty" merge:"each"`
	// Dataless reports that writes were answered without being stored.
	Dataless bool `json:"dataless,omitempty" merge:"same"`
	// PeakAsked is the rate in operations per second that was to be sustained, 0 for none.
	PeakAsked float64 `json:"peak_asked,omitempty" merge:"sum"`
	// Checks are the claims of the scenario, in the syntax of package figure.
	Checks []string `json:"checks,omitempty" merge:"same"`
	// SpreadOver is the second or minute over which arrivals of a file with the same timestamp were spread evenly, 0
	// for none.
	SpreadOver time.Duration `json:"arrivals_spread_over_ns,omitempty" merge:"same"`
	// InputNotes are sentences about assumptions on, and omissions of, files of rows and traces.
	InputNotes []string `json:"input_notes,omitempty" merge:"same"`
	// Faults are the injected faults, a line for each rule.
	Faults []string `json:"faults,omitempty" merge:"same"`
	// AntiPattern is the deliberate mistake of the run, empty unless it is the anti-pattern of its scenario.
	AntiPattern string `json:"anti_pattern,omitempty" merge:"same"`
	// Example describes the scenario, nil if it has no anti-pattern.
	Example *Example `json:"example,omitempty"`
	// Targets are the rates that the model holds partitions and accounts to.
	Targets Targets `json:"targets" merge:"same"`
	// Model lists every parameter of the partition model.
	Model []Parameter `json:"model" merge:"same"`
	// Operations are the kinds of operation, in the order of the reports.
	Operations  []Kind      `json:"operations" merge:"same"`
	Environment Environment `json:"environment" merge:"each"`
	// Merged has the runs of a merged record, nil for that of one run.
	Merged *Merged `json:"merged,omitempty"`
	// Fleet has the processes that offered the load together, nil for one.
	Fleet *Fleet `json:"fleet,omitempty"`
}

// Fleet is of several processes that offered the load together, each its share.
type Fleet struct {
	Members []FleetMember `json:"members"`
	// Labels are the sums of members with the same label, empty without labels.
	Labels []FleetLabel `json:"labels"`
	// Skew is the greatest difference of the instants at which two members began.
	Skew time.Duration `json:"skew_ns"`
	// Notes are other remarks on the members.
	Notes []string `json:"notes"`
}

// FleetMember is a process and its share: of N the operations k with k mod N = Index.
type FleetMember struct {
	Name   string            `json:"name"`
	Index  int               `json:"index"`
	Labels map[string]string `json:"labels,omitempty"`
	// Planned is the number of planned operations, nil if it is only known afterwards.
	Planned *int64 `json:"planned_operations"`
	Counts
	// LagP99 is how late it sent its operations.
	LagP99 *time.Duration `json:"lag_p99_ns"`
	// ClockBound is within what its clock is known against the leader's, ClockDrift how far it
	// moved during the run.
	ClockBound time.Duration `json:"clock_bound_ns"`
	ClockDrift time.Duration `json:"clock_drift_ns"`
	// BeganLate is how long after the agreed instant it began, nil if unknown.
	BeganLate *time.Duration `json:"began_late_ns"`
	// Stall is the maximum time that its process stood still in a second, CPU the used share of its processors, nil if
	// unknown.
	Stall time.Duration `json:"stall_ns"`
	CPU   *float64      `json:"cpu_share"`
	// Lost is why there is no record of its share, empty if there is one.
	Lost string `json:"lost,omitempty"`
}

// memberLayout is the layout of a member in a record.
var memberLayout = LayoutOf[FleetMember]("name index labels planned_operations scheduled dropped attempts throttled failed lag_p99_ns " +
	"clock_bound_ns clock_drift_ns began_late_ns stall_ns cpu_share lost")

// MarshalJSON implements json.Marshaler.
func (m FleetMember) MarshalJSON() ([]byte, error) { return memberLayout.Encode(m) }

// MemberState is the state of a member of a fleet.
type MemberState string

// The states of a member, in their order. A lost one never comes back.
const (
	MemberJoined  MemberState = "joined"
	MemberReady   MemberState = "ready"
	MemberSending MemberState = "sending"
	MemberEnded   MemberState = "handed in"
	MemberLost    MemberState = "lost"
)

// FleetLabel has the figures of the members of one label together.
type FleetLabel struct {
	Label   string `json:"label"`
	Value   string `json:"value"`
	Members int    `json:"members"`
	// Throughput, Throttled, ShareLost, P50 and P99 are the figures of these names.
	Throughput *float64 `json:"throughput"`
	Throttled  *float64 `json:"share_throttled"`
	ShareLost  *float64 `json:"share_lost"`
	P50        *float64 `json:"p50_ns"`
	P99        *float64 `json:"p99_ns"`
}

// Merged has the runs of a merged record, and notes on figures that merging makes inexact.
type Merged struct {
	Runs  []MergedRun `json:"runs"`
	Notes []string    `json:"notes"`
}

// MergedRun is a run that is part of a record.
type MergedRun struct {
	// Name is the name of its folder.
	Name     string    `json:"name"`
	Tool     Tool      `json:"tool"`
	SHA256   string    `json:"scenario_sha256"`
	Seed     uint64    `json:"seed"`
	Started  time.Time `json:"started"`
	Validity string    `json:"validity"`
	Attempts int64     `json:"attempts"`
}

// Example describes a scenario: its subject, the mistake of its anti-pattern, which of the scenario's checks that
// makes fail, and why. If Fails is empty any of them may fail.
type Example struct {
	Shows string   `json:"shows"`
	Wrong string   `json:"wrong"`
	Why   string   `json:"why,omitempty"`
	Fails []string `json:"fails,omitempty"`
}

// The targets whose limits and times are modelled: the embedded engine behind a
// socket of this machine, and the same engine called directly.
const (
	Embedded  = "embedded"
	InProcess = "in-process"
)

// Logged is the target of a record that was made from the log of a service.
const Logged = "log"

// Modelled reports whether the target's limits and times are those of a model rather than of a service.
func (m *Manifest) Modelled() bool { return m.Target == Embedded || m.Target == InProcess }

// Tool identifies the build that ran.
type Tool struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
	System  string `json:"system"`
}

// Scenario identifies what was run: SHA256 is that of Text, the scenario with every override applied.
type Scenario struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Text   string `json:"text"`
}

// Targets are rates in entities per second; 0 is no limit.
type Targets struct {
	Partition int64 `json:"partition_entities_per_second" merge:"sum"`
	Account   int64 `json:"account_entities_per_second" merge:"sum"`
	// Documented reports that both are those of the documentation.
	Documented bool `json:"documented"`
}

// Parameter is one number of the partition model as it was used.
type Parameter struct {
	Name       string `json:"name"`
	Value      string `json:"value"`
	Unit       string `json:"unit"`
	Provenance string `json:"provenance"`
	About      string `json:"about"`
}

// Kind is a kind of operation. Group is the table of the report that it is
// shown in: GET, PUT, or empty for preparation.
type Kind struct {
	Name  string `json:"name"`
	Group string `json:"group"`
	// Filtered reports that it has queries that return only a part of the entities that they scan.
	Filtered bool `json:"filtered,omitempty"`
	// Retry is the operation's own back-off policy, empty for that of the run.
	Retry string `json:"retry,omitempty"`
	// Limit is the rate limit of its attempts, such as 500/s, burst 50; empty for none.
	Limit string `json:"limit,omitempty"`
}

// Environment has the resources of the machine.
type Environment struct {
	CPUs       int `json:"cpus" merge:"sum"`
	GOMAXPROCS int `json:"gomaxprocs" merge:"sum"`
	Workers    int `json:"workers" merge:"sum"`
	// WorkersFrom names where a user chose the number of workers, such as --workers, empty for the default.
	WorkersFrom string `json:"workers_from,omitempty"`
}
