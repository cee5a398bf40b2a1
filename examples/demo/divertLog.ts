import { observeOutput } from 'lineclear/local'
import { silenceDead } from '../../src/testing/local/observe/observeOutput.ts'

const { stdout } = process

/**
 * From now on lines that loggers write to standard output go to `take`, and the console beside the demo sees them. A killed function
 * writes nothing more. Other text is printed as before.
 */
export function divertLog(take: (line: string) => void): void {
  const write = stdout.write.bind(stdout)
  stdout.write = (text: string | Uint8Array): boolean => {
    if (typeof text !== 'string' || !text.startsWith('{"level"')) return write(text)
    take(text.trimEnd())
    return true
  }
  observeOutput()
  silenceDead()
}
