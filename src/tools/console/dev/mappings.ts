import { functionArnOf } from '../../../testing/local/description/description.ts'
import type { LocalCloud } from '../../../testing/local/cloud/openCloud.ts'
import type { ServedMapping } from '../../../testing/local/mapping/serveMappings.ts'
import type { Controls } from './controls.ts'
import type { HandlersProcess } from './handlersProcess.ts'
import type { ConsumerDescription } from '../../../testing/registry/consumersOf.ts'
import type { Described, HandlersOf } from './protocol.ts'

/** The event source mappings of the handlers' process: what is paused stays paused when it is replaced. */
export function mappingsOf(
  cloud: LocalCloud,
  handlers: HandlersProcess,
  controls: Controls,
  { consumers }: Described,
  made: HandlersOf,
): readonly ServedMapping[] {
  return consumers.map(({ queue, functionName }) => {
    const queueArn = cloud.queueArn(queue)
    return {
      queueArn,
      functionArn: functionArnOf(queueArn, functionName),
      state: controls.paused().includes(queue) ? 'paused' : 'enabled',
      tags: tagsOf(made[queue]?.[0], functionName),
      pause: async () => {
        controls.setPaused(queue, true)
        await handlers.peer()?.ask('pause', queue)
      },
      resume: () => {
        controls.setPaused(queue, false)
        handlers.peer()?.tell('resume', queue)
      },
    }
  })
}

/** As a deployment tags its functions, for `lineclear pause`. */
function tagsOf(
  made: ConsumerDescription | undefined,
  functionName: string,
): Readonly<Record<string, string>> {
  if (made?.flow !== undefined) return { 'lineclear:flow': made.flow.name }
  return { 'lineclear:consumer': made?.name ?? functionName }
}
