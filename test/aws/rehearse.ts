import { bridged } from '../referees/ministack/bridge.ts'
import { apiAt, rootAccount } from '../referees/ministack/account.ts'
import { REGION, startMinistack } from '../referees/ministack/startMinistack.ts'
import { carryOut, type Deployment } from './carryOut.ts'
import { deploymentOf, packageStage } from './deployment.ts'
import { drive } from './drive.ts'
import { startLocal } from './places/local.ts'
import { prefixOf } from './remove.ts'

interface Rehearsal {
  readonly stop: AbortSignal
  readonly say: (line: string) => void
}

const STAGE = 'rehearsal'

/** The program as it runs on AWS, but for the place. @returns whether it is as it has to be there */
export async function rehearse(
  engine: 'local' | 'ministack',
  { stop, say }: Rehearsal,
): Promise<boolean> {
  const pace = {
    withinMs: engine === 'local' ? 240_000 : 600_000,
    prefix: prefixOf(STAGE),
    check: () => stop.throwIfAborted(),
    sent: () => {},
  }
  const disturbedMs = engine === 'local' ? 10_000 : 20_000
  const deployment = await (engine === 'local' ? locally() : onMinistack({ stop, say }))
  return carryOut(
    deployment,
    (place) => drive(place, { engine, pace, disturbedMs, restMs: 0, say }),
    { keep: false, stop, say },
  )
}

async function locally(): Promise<Deployment> {
  // The functions write their logs and metrics there.
  const { log } = console
  const local = startLocal()
  return {
    byHand: 'end this process',
    deploy: () => {
      console.log = () => {}
      return local
    },
    async remove() {
      console.log = log
      await (await local).stop()
      return []
    },
  }
}

async function onMinistack({ stop, say }: Rehearsal): Promise<Deployment> {
  const engine = await startMinistack()
  const { endpoint } = engine
  const account = rootAccount(endpoint)
  const service = await packageStage(STAGE, REGION)
  const deployment = deploymentOf({
    account,
    stage: STAGE,
    service,
    stop,
    say,
    bridge: bridged,
    api: (url) => apiAt(endpoint, url),
  })
  return {
    ...deployment,
    async remove() {
      try {
        return await deployment.remove()
      } finally {
        service.remove()
        await engine.stop()
      }
    },
  }
}
