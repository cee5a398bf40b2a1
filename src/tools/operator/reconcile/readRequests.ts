import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { hash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../../base/clock.ts'
import type { Item } from '../../../store/store.ts'
import type { TableReader } from '../../../store/dynamodb/dynamoDbReader.ts'
import { limitRate } from '../dlq/ramp.ts'
import { resemble } from '../../../base/options.ts'
import { itemKey, splitId } from '../../../sweeper/address.ts'
import type { Plan } from './options.ts'

interface ScanOptions {
  readonly prefix: string
  readonly segments: number
  /** Read units a second, of all segments together. */
  readonly rate: number
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
  readonly onProgress: (looked: number) => void
}

export interface ScanCost {
  /** Items that were looked at, those of others included. */
  readonly looked: number
  readonly readUnits: number
}

/**
 * Reads the items of one consumer or flow, all segments concurrently. The reads are eventually consistent, which costs half: a
 * page that is a second old shows less than is true, and only shows what was true, so nothing that was lost seems to be there.
 */
export async function scanItems(
  table: TableReader,
  options: ScanOptions,
  take: (item: Item) => Promise<void>,
): Promise<ScanCost> {
  const { prefix, segments, rate, clock, signal } = options
  const wait = limitRate(() => rate, clock, signal)
  let [looked, readUnits] = [0, 0]
  let failed = false
  const readSegment = async (index: number): Promise<void> => {
    let units = 0
    const pages = table.scan({
      prefix,
      segment: { index, of: segments },
      onPage: (page) => {
        looked += page.looked
        readUnits += page.readUnits
        units = page.readUnits
      },
    })
    for await (const items of pages) {
      signal?.throwIfAborted()
      if (failed) return
      for (const item of items) await take(item)
      options.onProgress(looked)
      await wait(units)
    }
  }
  const reads = Array.from({ length: segments }, async (_, index) => {
    await readSegment(index).catch((error: unknown) => {
      failed = true
      throw error
    })
  })
  await Promise.all(reads)
  return { looked, readUnits }
}

/** The table shows no request of the consumer or flow: its name may be mistyped. */
export interface UnknownName {
  /** What was asked for, such as `consumer ordes`. */
  readonly name: string
  /** One that it resembles, such as `consumer orders`. undefined: none of those that were seen. */
  readonly meant: string | undefined
  /** Consumers and flows that the table shows, at most ten. */
  readonly others: readonly string[]
}

/** Of at most 1 MB each: a hint is not worth a second reading of a large table. */
const MOST_PAGES = 16
const MOST_SHOWN = 10

/** Looks at the beginning of the table. */
export async function findOtherNames(
  { table, of, rate, clock, signal }: Plan,
  onPage: (page: ScanCost) => void,
): Promise<UnknownName> {
  const wait = limitRate(() => rate, clock, signal)
  const names = new Set<string>()
  let [pages, units] = [0, 0]
  const scan = table.scan({
    onPage: (page) => {
      units = page.readUnits
      onPage(page)
    },
  })
  for await (const items of scan) {
    signal?.throwIfAborted()
    for (const item of items) for (const name of nameOf(itemKey(item).pk)) names.add(name)
    if ((pages += 1) === MOST_PAGES) break
    await wait(units)
  }
  const name = 'flow' in of ? `flow ${of.flow}` : `consumer ${of.consumer}`
  const others = [...names].toSorted()
  return { name, meant: nearest(name, others), others: others.slice(0, MOST_SHOWN) }
}

function nameOf(pk: string): readonly string[] {
  const [kind = ''] = pk.split('#', 1)
  const shown = kind === 'lock' ? 'consumer' : kind === 'flow' ? 'flow' : undefined
  return shown === undefined ? [] : [`${shown} ${splitId(pk).owner}`]
}

/** The same name of the other kind comes first: a flow may have been taken for a consumer. */
function nearest(name: string, others: readonly string[]): string | undefined {
  const bare = (text: string): string => text.slice(text.indexOf(' ') + 1).toLowerCase()
  return (
    others.find((other) => bare(other) === bare(name)) ??
    others.find((other) => resemble(bare(other), bare(name)))
  )
}

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
