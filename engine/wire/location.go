package wire

import "loadgen/engine/entity"

// AppendLocation appends the absolute URL of an entity as the service gives it
// out in the headers Location and DataServiceId and in odata.id: the quotes of a
// key are doubled and stay quotes. It names what [AppendEntityPath] names, in
// other letters.
func (r *Rendering) AppendLocation(dst []byte, k entity.Key) []byte {
	dst = append(dst, r.Base.URL...)
	return r.appendLink(append(dst, '/'), k)
}
