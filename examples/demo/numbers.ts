/** `12,345` */
export function count(number: number): string {
  return number.toLocaleString('en-US')
}

/** Cents as `1,234.56` */
export function money(cents: number): string {
  return (cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })
}
