import { stripVTControlCharacters } from 'node:util'
import { DefaultReporter } from 'vitest/node'

/**
 * Without the line `Type Errors  no errors`: it knows the tests of types only, and stands there too when a test or the source names what is
 * not declared. `npm run static` says what else has wrong types.
 */
export class Summary extends DefaultReporter {
  override log(...words: unknown[]): void {
    const line = stripVTControlCharacters(words.join(' ')).trim()
    if (!/^Type Errors\s+no errors$/.test(line)) super.log(...words)
  }
}
