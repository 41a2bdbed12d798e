/** Where a memory stands: namespace and key, each in its own direction. */
export function Crumb({ namespace, name }: { namespace: string; name: string }) {
  return (
    <div className="crumb">
      <bdi>{namespace}</bdi>
      <span className="turn" aria-hidden="true">
        ›
      </span>
      <bdi>{name}</bdi>
    </div>
  )
}
