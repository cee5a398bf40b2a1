import { inflateRawSync } from 'node:zlib'

/** The files of a zip archive, by its central directory (APPNOTE 4.3.12). */
export function readZip(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  const count = zip.readUInt16LE(end + 10)
  const files = new Map<string, Buffer>()
  let at = zip.readUInt32LE(end + 16)
  for (let n = 0; n < count; n++) {
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset))
    const name = zip.toString('utf8', at + 46, at + 46 + (nameLength ?? 0))
    files.set(
      name,
      contentAt(
        zip,
        zip.readUInt32LE(at + 42),
        zip.readUInt32LE(at + 20),
        zip.readUInt16LE(at + 10),
      ),
    )
    at += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  return files
}

function contentAt(zip: Buffer, header: number, size: number, method: number): Buffer {
  const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28)
  const content = zip.subarray(start, start + size)
  return method === 0 ? content : inflateRawSync(content)
}
