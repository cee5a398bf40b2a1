import { currentInvocation, isTerminated } from '../faults/invocation.ts'

type Stream = NodeJS.WriteStream

/**
 * From now on code of a dead invocation writes nothing to standard output and error. A killed process writes nothing either, but here
 * the code continues: when the time of its function is up, it would log that it has timed out.
 * @returns a function that stops it
 */
export function silenceDead(): () => void {
  const restores = [process.stdout, process.stderr].map(silence)
  return () => {
    for (const restore of restores) restore()
  }
}

/** Whether the code that runs now belongs to an invocation that was killed, or whose time was up. */
function isDead(): boolean {
  const invocation = currentInvocation()
  return invocation !== undefined && isTerminated(invocation)
}

function silence(stream: Stream): () => void {
  const original = stream.write
  const silenced = function write(this: Stream, ...args: Parameters<Stream['write']>): boolean {
    if (!isDead()) return Reflect.apply(original, stream, args)
    const written = args.find((each) => typeof each === 'function')
    if (written !== undefined) process.nextTick(written)
    return true
  }
  stream.write = silenced as Stream['write']
  return () => {
    // Another program may have replaced it since.
    if (stream.write === silenced) stream.write = original
  }
}
