/** `arn:aws:SERVICE:REGION:…`. */
export function regionOf(arn: string): string {
  return arn.split(':')[3] ?? ''
}
