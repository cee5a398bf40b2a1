import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { requestStatus } from 'lineclear'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { httpEvent } from 'lineclear/testing'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }

export interface JobStatusResult {
  /** How many were accepted. */
  readonly accepted: number
  /** How many answers of each status code, before the consumer was there. */
  readonly before: Readonly<Record<string, number>>
  /** Those that are completed, and whose file the answer names. */
  readonly completed: number
}

/** Asks for exports, each twice, and looks at their links before and after the consumer has run. */
export async function run(
  count: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<JobStatusResult> {
  await using cloud = await startLocalCloud({
    queues: { exports: QUEUE, dead: {} },
    tables: { lineclear: tableDefinition(), exports: { hash: 'exportId' } },
  })
  Object.assign(process.env, cloud.environment, { EXPORTS_QUEUE: cloud.queueUrl('exports') })
  await cloud.instrumentAll(import.meta.url)
  const { exports, store } = await import('./handler.ts')
  const { get, post } = await import('./api.ts')

  const links = new Set<string>()
  let accepted = 0
  for (let number = 0; number < 2 * count; number++) {
    const body = { exportId: `export-${number % count}`, rows: number % count }
    const answered = await post(httpEvent({ method: 'POST', path: '/exports', body }))
    if (answered.statusCode === 202) accepted += 1
    links.add((bodyOf(answered) as { readonly link: string }).link)
  }
  const ids = [...links].map((link) => link.replace('/exports/', ''))
  const look = (id: string) =>
    get({ ...httpEvent({ method: 'GET', path: `/exports/${id}` }), pathParameters: { id } })
  const before: Record<string, number> = {}
  for (const id of ids) {
    const { statusCode } = await look(id)
    before[String(statusCode)] = (before[String(statusCode)] ?? 0) + 1
  }
  say(`${accepted} requests were accepted, for ${ids.length} exports. Now the consumer comes …`)

  const mapping = mapQueue({
    cloud,
    queue: 'exports',
    handler: exports,
    functionTimeout: '3s',
    faults: FAULTS,
  })
  const [first = ''] = ids
  await requestStatus({ store, name: 'exports', waitFor: '30s' }, first)
  await untilQuiet([mapping])
  let completed = 0
  for (const id of ids) {
    const { state, file } = bodyOf(await look(id)) as { state: string; file?: string }
    if (state === 'completed' && file === `s3://exports/${id}.csv`) completed += 1
  }
  say(`${completed} of ${ids.length} are completed, and their answers name the file.`)
  await keep(cloud)
  return { accepted, before, completed }
}

function bodyOf({ body }: APIGatewayProxyStructuredResultV2): unknown {
  return JSON.parse(body ?? 'null')
}
