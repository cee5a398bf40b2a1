import { functionArnOf } from '../../../testing/local/description/arn.ts'
import type { LocalCloud } from '../../../testing/local/cloud/localCloud.ts'
import type { ServedMapping } from '../../../testing/local/mapping/serveMappings.ts'
import type { Controls } from './controls.ts'
import type { HandlersProcess } from './handlersProcess.ts'
import type { Described } from './protocol.ts'

/** The event source mappings of the handlers' process: what is paused stays paused when it is replaced. */
export function mappingsOf(
  cloud: LocalCloud,
  handlers: HandlersProcess,
  controls: Controls,
  { consumers }: Described,
): readonly ServedMapping[] {
  return consumers.map(({ queue, functionName }) => {
    const queueArn = cloud.queueArn(queue)
    return {
      queueArn,
      functionArn: functionArnOf(queueArn, functionName),
      state: controls.paused().includes(queue) ? 'paused' : 'enabled',
      tags: { 'lineclear:consumer': functionName },
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
