import type { Change } from './protection.ts'

/**
 * The code without the protection.
 * @throws when its text does not stand there exactly once: the table has to follow the code
 */
export function switchOff(code: string, { file, text, without = '' }: Change): string {
  const found = [...code.matchAll(patternOf(text))]
  const [only] = found
  if (only !== undefined && found.length === 1) {
    return code.slice(0, only.index) + without + code.slice(only.index + only[0].length)
  }
  throw new Error(
    `${file} contains ${found.length} times what stands once in test/proof/sensitivity/table: ${text}\n` +
      'If the code was changed, change the row with it. If the protection has gone, say in the commit why it is not needed.',
  )
}

function patternOf(text: string): RegExp {
  const parts = text
    .trim()
    .split(/\s+/)
    .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
  return new RegExp(parts.join(String.raw`\s+`), 'g')
}
