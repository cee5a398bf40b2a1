import { recordHandler, type RecordHandlerOptions } from 'lineclear'
import { z } from 'zod'

/**
 * After the ingestion of https://github.com/cdklabs/construct-hub (Apache-2.0): a package is stored in S3, its assembly last, and a
 * workflow starts. There the workflow's name has the request id of Lambda in it: a redelivery starts another one.
 */
const Package = z.object({ tarballUri: z.url(), integrity: z.string(), time: z.string() })

type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'clock' | 'logger'>

export interface Systems {
  /** An object is replaced by itself. */
  put(key: string): Promise<unknown>
  /** A name starts one execution. */
  start(name: string): Promise<unknown>
}

export function ingestion(given: Given, { put, start }: Systems) {
  return recordHandler(
    {
      ...given,
      name: 'ingestion',
      schema: Package,
      id: ({ tarballUri, integrity }) => `${tarballUri} ${integrity}`,
    },
    async ({ tarballUri }, ctx) => {
      const at = new URL(tarballUri).pathname.replace(/\.tgz$/, '')
      await ctx.call('files', () => Promise.all([put(`${at}.tgz`), put(`${at}/metadata.json`)]))
      await ctx.call('assembly', () => put(`${at}/assembly.json`))
      await ctx.call('start', ({ idempotencyKey }) => start(idempotencyKey))
    },
  )
}
