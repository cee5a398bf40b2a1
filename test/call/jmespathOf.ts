import { search } from '@aws-lambda-powertools/jmespath'
import { PowertoolsFunctions } from '@aws-lambda-powertools/jmespath/functions'
import { jmespath } from 'lineclear/middy'
import type { Expression } from '../../src/library/entries/call/readKey.ts'

export const LIBRARY = { search, customFunctions: new PowertoolsFunctions() }

export function jmespathOf(expression: string): Expression {
  return jmespath(expression, LIBRARY)
}
