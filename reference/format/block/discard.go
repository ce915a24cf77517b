package block

// Discard writes nothing, for replies that are not streamed.
var Discard Writer = discard{}

type discard struct{}

func (discard) Open(buf []byte, _ *Block) []byte                        { return buf }
func (discard) Delta(buf []byte, _ *Block, _ []byte, _ [][]byte) []byte { return buf }
func (discard) Close(buf []byte, _ *Block) []byte                       { return buf }
