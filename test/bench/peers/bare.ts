import type { Peer } from './peer.ts'

/** The work alone, protected by nothing: what every peer is measured above. */
export const bare: Peer =
  ({ work, concurrency = Number.POSITIVE_INFINITY }) =>
  async ({ Records }) => {
    const records = Records.values()
    const lane = async (): Promise<void> => {
      for (const { body } of records) await work(JSON.parse(body))
    }
    await Promise.all(Array.from({ length: Math.min(concurrency, Records.length) }, lane))
    return { batchItemFailures: [] }
  }
