/** How near two vectors are, 0 to 1; 0 where one is missing, or of another length. */
export function cosine(a: Float32Array | null | undefined, b: Float32Array | null | undefined): number {
  if (!a || !b || a.length !== b.length) return 0
  let [dot, left, right] = [0, 0, 0]
  for (let at = 0; at < a.length; at++) {
    const [x, y] = [a[at] ?? 0, b[at] ?? 0]
    dot += x * y
    left += x * x
    right += y * y
  }
  return left > 0 && right > 0 ? Math.min(1, Math.max(0, dot / Math.sqrt(left * right))) : 0
}
