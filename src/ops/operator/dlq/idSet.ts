import { hash } from 'node:crypto'
import type { PlanContents } from './planContents.ts'

/**
 * A set of message ids, kept as the first eight bytes of their SHA-256: 100,000 ids take 0.8 MB. SQS makes the ids, so no sender
 * can choose one; that another dead letter passes for one of 100,000 has a chance of 1 in 10^14.
 */
export interface IdSet extends PlanContents {
  has(id: string): boolean
}

const BYTES = 8
/** 240,000 bytes, 320,000 characters: an item of DynamoDB may have 400 KB. */
const DIGESTS_PER_TEXT = 30_000

export function idSetOf(ids: Iterable<string>): IdSet {
  const builder = idSetBuilder()
  for (const id of ids) builder.add(id)
  return builder.finish()
}

/** Collects ids one by one. */
export function idSetBuilder(): { add(id: string): void; finish(): IdSet } {
  let digests = new BigUint64Array(1_024)
  let size = 0
  return {
    add(id) {
      if (size === digests.length) {
        const longer = new BigUint64Array(size * 2)
        longer.set(digests)
        digests = longer
      }
      digests[size] = digestOf(id)
      size += 1
    },
    finish: () => sortedSet(digests.slice(0, size)),
  }
}

/** @returns undefined when a text is not one that `texts` has made */
export function readIdSet(texts: readonly string[]): IdSet | undefined {
  const bytes = Buffer.concat(texts.map((text) => Buffer.from(text, 'base64')))
  if (bytes.length % BYTES !== 0) return undefined
  const digests = new BigUint64Array(bytes.length / BYTES)
  for (let at = 0; at < digests.length; at++) digests[at] = bytes.readBigUInt64BE(at * BYTES)
  return sortedSet(digests)
}

function sortedSet(digests: BigUint64Array): IdSet {
  digests.sort()
  const unique = digests.filter((digest, at) => at === 0 || digest !== digests[at - 1])
  return {
    size: unique.length,
    has: (id) => contains(unique, digestOf(id)),
    fingerprint: () => hash('sha256', bytesOf(unique), 'hex'),
    texts() {
      const count = Math.ceil(unique.length / DIGESTS_PER_TEXT)
      return Array.from({ length: count }, (_, at) => {
        const part = unique.subarray(at * DIGESTS_PER_TEXT, (at + 1) * DIGESTS_PER_TEXT)
        return bytesOf(part).toString('base64')
      })
    },
  }
}

function digestOf(id: string): bigint {
  return hash('sha256', id, 'buffer').readBigUInt64BE(0)
}

function bytesOf(digests: BigUint64Array): Buffer {
  const bytes = Buffer.alloc(digests.length * BYTES)
  for (const [at, digest] of digests.entries()) bytes.writeBigUInt64BE(digest, at * BYTES)
  return bytes
}

function contains(sorted: BigUint64Array, digest: bigint): boolean {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const found = sorted[middle] ?? 0n
    if (found === digest) return true
    if (found < digest) from = middle + 1
    else to = middle
  }
  return false
}
