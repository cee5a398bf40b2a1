import type { Module } from './syntax.ts'
import { textOfDefinition } from './textOfExpression.ts'

/** A module as TLC reads it, whatever has been changed in its tree. @param more lines at its end */
export function textOfTree(
  name: string,
  { constants, variables, definitions }: Module,
  more = '',
): string {
  return [
    `---- MODULE ${name} ----`,
    'EXTENDS Naturals, FiniteSets, TLC',
    `CONSTANTS ${constants.join(', ')}`,
    `VARIABLES ${variables.join(', ')}`,
    ...definitions.map(textOfDefinition),
    `Spec == Init /\\ [][Next]_<<${variables.join(', ')}>>`,
    more,
    '====',
    '',
  ].join('\n')
}
