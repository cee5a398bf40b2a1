import { snsWrapped } from 'lineclear/testing'
import type { Change, Row } from './recordRows.ts'
import { type Deployment, type Scenario, type Script, scenariosWith } from './play.ts'
import { audit, stuck } from './ledger.ts'
import { byTx, type Callback, sales } from './sales.ts'
import type { Rig } from './rig.ts'

const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:callbacks'

/** How the call of the provider is delivered, and the id that the consumer recognises it by. */
export interface Path {
  readonly queue: string
  readonly wrapped: boolean
  readonly id: boolean
}

export const PATHS: Readonly<Record<string, Path>> = {
  'sent directly, with id(payload)': { queue: 'sales', wrapped: false, id: true },
  'sent directly': { queue: 'sales', wrapped: false, id: false },
  'by SNS, with id(payload)': { queue: 'sales', wrapped: true, id: true },
  'by SNS': { queue: 'sales', wrapped: true, id: false },
  'on a FIFO queue, with id(payload)': { queue: 'sales.fifo', wrapped: false, id: true },
  'on a FIFO queue': { queue: 'sales.fifo', wrapped: false, id: false },
}

export function scriptOf(row: Row, path: Path): Script {
  const { queue, wrapped } = path
  const isNamed = (change: Change): boolean => ('id' in change ? change.id !== undefined : path.id)
  return {
    scenarios: scenariosOf(row, path),
    deploy: (rig) => deploymentOf(rig, row, path),
    request: (rig, which) => request(rig, which === 'first' ? 0 : 1, { queue, wrapped }),
    judge: (rig, { twist }) => {
      const again = twist === 'repeated' || twist === 'crossed'
      // Without an id of its own, and sent directly, a second call is another request.
      const anew = !wrapped && !isNamed(row.now)
      const expected = again && anew ? 2 : 1
      const mayRefuse = row.renames === true || row.refused === true
      return [...audit(rig, 't1', { most: expected, least: expected, mayRefuse }), ...stuck(rig)]
    },
  }
}

function scenariosOf({ renames = false }: Row, { queue }: Path): readonly Scenario[] {
  if (!renames) return scenariosWith('plain', 'twice', 'repeated', 'crossed')
  return queue.endsWith('.fifo') ? [] : scenariosWith('plain', 'twice')
}

function deploymentOf(
  rig: Rig,
  { old, bad, now, deliveries, pause, renames }: Row,
  { queue, wrapped, id }: Path,
): Deployment {
  const common = { queue, id: id ? byTx : undefined, ...(wrapped ? { topics: [TOPIC] } : {}) }
  const last = { code: sales(rig, { ...common, ...now }) }
  const first = {
    code: sales(rig, { ...common, ...old }),
    ...(deliveries === undefined ? {} : { deliveries }),
  }
  const codes =
    bad === undefined ? [first, last] : [first, { code: sales(rig, { ...common, ...bad }) }, last]
  return {
    codes,
    ...(pause === undefined ? {} : { pause }),
    ...(renames === undefined ? {} : { renames }),
  }
}

/** SNS repeats what it has published under its first id. */
function request(rig: Rig, nth: number, { queue, wrapped }: Pick<Path, 'queue' | 'wrapped'>): void {
  const callback: Callback = { tx: 't1', ref: 'r1', nth: wrapped ? 0 : nth }
  const timestamp = rig.born
  const body = wrapped
    ? snsWrapped(callback, {
        topicArn: TOPIC,
        messageId: '5f0d8e1c-0000-4000-8000-000000000001',
        timestamp,
      }).body
    : JSON.stringify(callback)
  rig.send(queue, { body, attributes: {}, groupId: 'g', deduplicationId: `call-${nth}` })
}
