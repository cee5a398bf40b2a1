import { StringDecoder } from 'node:string_decoder'

/** Characters. No log line is this long. The limit keeps a file without line ends from filling the memory. */
const LONGEST = 64 * 1_048_576

/** Splits chunks of text into lines. A line that is too long for a log becomes an empty line. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array | string>,
  onBytes: (bytes: number) => void = () => {},
): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  let pieces: string[] = []
  let length = 0
  const take = (piece: string): void => {
    length += piece.length
    if (length <= LONGEST) pieces.push(piece)
    else pieces = []
  }
  const line = (): string => {
    const text = pieces.join('')
    pieces = []
    length = 0
    return text
  }
  for await (const chunk of chunks) {
    const parts = (typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk))).split(
      '\n',
    )
    for (const [index, part] of parts.entries()) {
      if (index > 0) yield line()
      take(part)
    }
    onBytes(chunk.length)
  }
  take(decoder.end())
  if (length > 0) yield line()
}
