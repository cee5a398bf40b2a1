import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { hash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Values under text keys, spread over buckets so that one bucket at a time can be held in memory. */
export interface Spill extends AsyncDisposable {
  add(key: string, value: unknown): Promise<void>
  bucket(number: number): AsyncIterable<unknown>
}

/** With a million keys a bucket has some 4,000. */
export const BUCKETS = 256
/** Characters kept in memory; beyond that the values go to a file. */
const MOST_HELD = 2_000_000

/**
 * Small amounts stay in memory. The file is readable by its owner only, and is removed from its directory when it is opened, so
 * that nothing is left behind when the process is killed.
 * @param mostHeld characters
 */
export function openSpill(mostHeld: number = MOST_HELD): Spill {
  let held = emptyBuckets()
  const written: Extent[][] = Array.from({ length: BUCKETS }, () => [])
  let characters = 0
  let size = 0
  let opened: Promise<FileHandle> | undefined

  /** Takes its lines and its place in the file before it waits, so that several may be written at once. */
  async function flush(): Promise<void> {
    const texts = held.map((lines) => (lines.length === 0 ? '' : `${lines.join('\n')}\n`))
    held = emptyBuckets()
    characters = 0
    const start = size
    for (const [number, text] of texts.entries()) {
      const length = Buffer.byteLength(text)
      if (length > 0) written[number]?.push({ at: size, length })
      size += length
    }
    opened ??= openUnlinked()
    await writeAll(await opened, Buffer.from(texts.join('')), start)
  }

  return {
    async add(key, value) {
      const line = JSON.stringify(value)
      held[bucketOf(key)]?.push(line)
      characters += line.length
      if (characters > mostHeld) await flush()
    },
    async *bucket(number) {
      for (const extent of written[number] ?? []) {
        const text = await readExtent(await opened, extent)
        for (const line of text.trimEnd().split('\n')) yield JSON.parse(line)
      }
      for (const line of held[number] ?? []) yield JSON.parse(line)
    },
    async [Symbol.asyncDispose]() {
      await (await opened)?.close()
    },
  }
}

interface Extent {
  readonly at: number
  readonly length: number
}

function emptyBuckets(): string[][] {
  return Array.from({ length: BUCKETS }, () => [])
}

function bucketOf(key: string): number {
  return Number.parseInt(hash('md5', key).slice(0, 2), 16)
}

async function openUnlinked(): Promise<FileHandle> {
  const directory = await mkdtemp(join(tmpdir(), 'lineclear-spill-'))
  try {
    return await open(join(directory, 'spill'), 'wx+', 0o600)
  } finally {
    await rm(directory, { recursive: true })
  }
}

async function writeAll(file: FileHandle, bytes: Buffer, start: number): Promise<void> {
  let done = 0
  while (done < bytes.length) {
    done += (await file.write(bytes, done, bytes.length - done, start + done)).bytesWritten
  }
}

async function readExtent(file: FileHandle | undefined, { at, length }: Extent): Promise<string> {
  const bytes = Buffer.alloc(length)
  let done = 0
  while (done < length) {
    const { bytesRead = 0 } = (await file?.read(bytes, done, length - done, at + done)) ?? {}
    if (bytesRead === 0) throw new Error('a temporary file ended early')
    done += bytesRead
  }
  return bytes.toString()
}
