import { hash } from 'node:crypto'

const LENGTH = 8

/** Eight hexadecimal digits: the hash of what a plan showed and what it would do. */
export function planName(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, LENGTH)
}

/** Groups are called so, too. */
export function isPlanName(text: string): boolean {
  return new RegExp(`^[0-9a-f]{${LENGTH}}$`).test(text)
}
