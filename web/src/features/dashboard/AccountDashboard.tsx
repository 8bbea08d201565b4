export function AccountDashboard() {
  return null;
}
