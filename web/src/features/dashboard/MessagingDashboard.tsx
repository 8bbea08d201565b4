export function MessagingDashboard() {
  return null;
}
