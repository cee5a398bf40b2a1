import { createInterface } from 'node:readline/promises'
import type { Instrumentable } from '../../src/testing/local/sdk/instrument.ts'
import type { Packaged } from '../documents/deploy/packaged.ts'
import { carryOut } from './carryOut.ts'
import { CHECKS } from './checks/list.ts'
import { COURSES } from './courses/list.ts'
import { deploymentOf, packageStage } from './deployment.ts'
import { drive } from './drive.ts'
import { hourlyOf, startMeter } from './meter.ts'
import { type Account, stackOf } from './places/deployed.ts'
import type { Place } from './places/place.ts'
import { prefixOf } from './remove.ts'

interface OnAws {
  readonly account: Account
  readonly stage: string
  readonly limit: number
  readonly yes: boolean
  readonly keep: boolean
  readonly stop: AbortSignal
  readonly say: (line: string) => void
}

const DISTURBED_MS = 120_000
const REST_MS = 60_000
/** What is cut off is received again after three minutes, some of it several times. */
const WITHIN_MS = 25 * 60_000

/** @returns whether AWS does as we assume, the books are right, and nothing is left */
export async function runOnAws(wanted: OnAws): Promise<boolean> {
  const { account, stage, limit, yes, keep, stop, say } = wanted
  const service = await packageStage(stage, account.region)
  try {
    say(planOf(wanted, service))
    if (!yes && !(await agrees(stop))) return false
    const meter = startMeter({ limit, hourly: hourlyOf(service.template), stop })
    const pace = { ...meter, withinMs: WITHIN_MS, prefix: prefixOf(stage) }
    const work = async (place: Place): Promise<boolean> => {
      const { sqs, sns, dynamodb, eventBridge } = place.clients
      for (const client of [sqs, sns, dynamodb, eventBridge] as readonly Instrumentable[]) {
        const counting: Parameters<Instrumentable['middlewareStack']['add']>[0] =
          (next) => (call) => {
            meter.called()
            return next(call)
          }
        client.middlewareStack.add(counting, { step: 'finalizeRequest', name: 'counting' })
      }
      return drive(place, { engine: 'aws', pace, disturbedMs: DISTURBED_MS, restMs: REST_MS, say })
    }
    const deployment = deploymentOf({ account, stage, service, stop, say })
    const isGood = await carryOut(deployment, work, { keep, stop, say })
    say(meter.line())
    return isGood
  } finally {
    service.remove()
  }
}

function planOf({ account, stage, limit }: OnAws, { template }: Packaged): string {
  const count = Object.keys(template.Resources).length
  const hourly = hourlyOf(template)
  return `In ${account.region}: deploys the stack ${stackOf(stage)} with ${count} resources, and a probe beside it; compares ${CHECKS.length}
assumptions; drives ${COURSES.length} courses, one by events on the default bus; removes all of it. By estimate it costs ${hourly.toFixed(2)} US dollars an hour, and as much
again for its messages; it stops at ${limit}.`
}

async function agrees(signal: AbortSignal): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question('Go on? (yes) ', { signal }).catch(() => 'no')
  terminal.close()
  return answer.trim() === 'yes'
}
